# Completion of analytics-mcp in PowerShell, 5.1 and newer. Put this line into the file that $PROFILE names:
#   analytics-mcp completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName analytics-mcp, analytics-mcp.ps1, analytics-mcp.cmd -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $ErrorActionPreference = 'Continue'

  # The words up to the cursor, as they are typed but for quotes: variables and subexpressions are not evaluated.
  $argv = @('complete', '--')
  $current = ''
  foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
    $extent = $element.Extent
    if ($extent.StartOffset -ge $cursorPosition) { break }
    $length = [Math]::Min($extent.Text.Length, $cursorPosition - $extent.StartOffset)
    $word = $extent.Text.Substring(0, $length) -replace '[''"`]', ''
    if ($extent.EndOffset -ge $cursorPosition) { $current = $word } else { $argv += $word }
  }
  # PowerShell before 7.3 leaves an empty argument out, unless it is written with its quotes.
  $passing = Get-Variable PSNativeCommandArgumentPassing -ValueOnly -ErrorAction Ignore
  $isLegacy = $null -eq $passing -or "$passing" -eq 'Legacy'
  $argv += if ($current -eq '' -and $isLegacy) { '""' } else { $current }

  # PowerShell completes whole words, so a value comes behind its option.
  $option = if ($current -match '^--[^=]*=') { $Matches[0] } else { '' }

  # The candidates are never evaluated: each is a line, "value<tab>description".
  $lines = @(& analytics-mcp @argv 2>$null)
  $found = foreach ($line in $lines) {
    if ($line -eq ':files') {
      $path = $current.Substring($option.Length)
      foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($path)) {
        [System.Management.Automation.CompletionResult]::new(
          $option + $file.CompletionText, $file.ListItemText, $file.ResultType, $file.ToolTip)
      }
      continue
    }
    $value, $description = $line -split "`t", 2
    $text = $option + $value
    if (-not $text.StartsWith($current, [StringComparison]::OrdinalIgnoreCase)) { continue }
    if ($text -notmatch '^[\w.:/=+-]+$') { $text = "'" + ($text -replace "'", "''") + "'" }
    # A description must not be empty.
    if (-not $description) { $description = $value }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
  }
  # Without any result PowerShell would offer the files of the folder.
  if ($found) { $found } else { '' }
}
