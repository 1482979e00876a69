# Completion of analytics-mcp in fish, 3.0 and newer. Keep it where fish looks for it:
#   mkdir -p ~/.config/fish/completions
#   analytics-mcp completion fish > ~/.config/fish/completions/analytics-mcp.fish

function __analytics_mcp_candidates
    set -l before (commandline -opc)
    set -e before[1]
    set -l current (commandline -ct)
    set -l word (string replace -ar -- '["\'\\\\]' '' "$current")
    # fish completes whole words, so that a value comes behind its option.
    set -l option (string match -r -- '^--[^=]*=' "$word")
    # The candidates are never evaluated: each is a line, "value<tab>description".
    for line in (analytics-mcp complete -- $before "$word" 2>/dev/null)
        if test "$line" = :files
            # Those that fish offers to a command that it knows nothing of.
            for path in (complete -C "'' "(string replace -r -- '^--[^=]*=' '' "$current"))
                printf '%s\n' "$option$path"
            end
        else
            printf '%s\n' "$option$line"
        end
    end
end

complete -c analytics-mcp -f -k -a '(__analytics_mcp_candidates)'
