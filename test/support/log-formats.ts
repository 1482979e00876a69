import { formatClfTime } from "./logs.ts";

/** A page view, unless it has another status. */
export interface LoggedRequest {
  /** Seconds since 1970. */
  time: number;
  address: string;
  host: string;
  target: string;
  /** Empty if there is none. */
  referrer: string;
  agent: string;
  /** The header Accept-Language. */
  language: string;
  /** 200 if absent. */
  status?: number;
}

interface WrittenFormat {
  header?: string;
  write(request: LoggedRequest): string;
  /** Which dimensions it carries beside pages, visits' pages and campaigns. */
  carries: ("referrers" | "agents" | "languages" | "hostnames")[];
  flags?: Record<string, string>;
}

const dash = (text: string) => (text === "" ? "-" : text);
const iso = (time: number) => new Date(time * 1000).toISOString();

const clf = ({ time, target, status = 200 }: LoggedRequest, offset = 60) =>
  `[${formatClfTime(time * 1000, offset)}] "GET ${target} HTTP/1.1" ${status} 512`;
const headers = ({ referrer, agent }: LoggedRequest) => `"${dash(referrer)}" "${agent}"`;
const combined = (request: LoggedRequest) => `${request.address} - - ${clf(request)} ${headers(request)}`;

function splitTarget(target: string): [stem: string, query: string] {
  const [stem = "", query = ""] = target.split("?");
  return [stem, dash(query)];
}

function caddy({
  status = 200,
  time,
  address,
  host,
  target,
  referrer,
  agent,
  language,
}: LoggedRequest): string {
  const sent = {
    ...(referrer !== "" && { Referer: [referrer] }),
    "User-Agent": [agent],
    "Accept-Language": [`${language},en;q=0.5`],
  };
  return JSON.stringify({
    level: "info",
    ts: time + 0.123,
    logger: "http.log.access",
    msg: "handled request",
    request: { remote_ip: address, client_ip: address, method: "GET", host, uri: target, headers: sent },
    status,
    size: 512,
    resp_headers: { "Content-Type": ["text/html; charset=utf-8"] },
  });
}

const all = ["referrers", "agents", "hostnames"] as const;

/** Writes page views as each server does. */
export const writtenFormats: Record<string, WrittenFormat> = {
  combined: { write: combined, carries: ["referrers", "agents"] },
  common: { write: (request) => `${request.address} - - ${clf(request, 0)}`, carries: [] },
  "combined with hosts": { write: (each) => `${each.host}:443 ${combined(each)}`, carries: [...all] },
  "common with hosts": {
    write: (each) => `${each.host} ${each.address} - - ${clf(each, -300)}`,
    carries: ["hostnames"],
  },
  "nginx main behind a proxy": {
    write: (each) => `${combined({ ...each, address: "172.16.0.1" })} "198.51.100.7, ${each.address}"`,
    carries: ["referrers", "agents"],
    flags: { trustForwarded: "1" },
  },
  Lighttpd: {
    write: (each) => `${each.address} ${each.host} - ${clf(each)} ${headers(each)}`,
    carries: [...all],
  },
  "Traefik CLF": {
    write: (each) => `${combined(each)} 7 "web@docker" "http://172.18.0.3:80" 4ms`,
    carries: ["referrers", "agents"],
  },
  "Traefik JSON": {
    write: ({ time, address, host, target, referrer, agent, status = 200 }) =>
      JSON.stringify({
        ClientHost: address,
        DownstreamStatus: status,
        RequestHost: host,
        RequestMethod: "GET",
        RequestPath: target,
        StartUTC: iso(time),
        time: iso(time + 3),
        request_Referer: referrer,
        "request_User-Agent": agent,
      }),
    carries: [...all],
  },
  Caddy: { write: caddy, carries: [...all, "languages"] },
  "nginx JSON": {
    write: ({ time, address, host, target, referrer, agent, language, status = 200 }) =>
      JSON.stringify({
        time_iso8601: iso(time).replace(".000Z", "+00:00"),
        remote_addr: address,
        status: String(status),
        request_method: "GET",
        request_uri: target,
        http_host: host,
        http_referer: dash(referrer),
        http_user_agent: agent,
        http_accept_language: language,
      }),
    carries: [...all, "languages"],
  },
  IIS: {
    header:
      "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port c-ip cs(User-Agent) cs(Referer) cs-host sc-status",
    write: ({ time, address, host, target, referrer, agent, status = 200 }) => {
      const [date, clock = ""] = iso(time).split("T");
      const [stem, query] = splitTarget(target);
      const start = `${date} ${clock.slice(0, 8)} 10.0.0.5 GET ${stem} ${query} 443 ${address}`;
      return `${start} ${agent.replaceAll(" ", "+")} ${dash(referrer)} ${host} ${status}`;
    },
    carries: [...all],
  },
  CloudFront: {
    header:
      "#Version: 1.0\n#Fields: date time x-edge-location c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query x-host-header",
    write: ({ time, address, host, target, referrer, agent, status = 200 }) => {
      const [date, clock = ""] = iso(time).split("T");
      const [stem, query] = splitTarget(target);
      return [
        date,
        clock.slice(0, 8),
        "FRA2",
        address,
        "GET",
        "d111.cloudfront.net",
        stem,
        String(status),
        dash(encodeURI(referrer)),
        encodeURIComponent(agent),
        query,
        host,
      ].join("\t");
    },
    carries: [...all],
  },
  "as Apache describes it": {
    write: (each) =>
      `${each.host}:443 ${each.address} ${iso(each.time).replace(".000Z", "+0000")}\tGET\t${each.target}\t${each.status ?? 200} ${headers(each)}`,
    carries: [...all],
    flags: {
      logFormat: '%v:%p %h %{%Y-%m-%dT%H:%M:%S%z}t\t%m\t%U%q\t%>s "%{Referer}i" "%{User-Agent}i"',
    },
  },
  "JSON as nginx describes it": {
    write: ({ time, address, host, target, referrer, agent, language, status = 200 }) =>
      JSON.stringify({
        when: iso(time).replace(".000Z", "+00:00"),
        client: { from: address, asks: `GET ${target} HTTP/2.0`, of: host },
        headers: [dash(referrer), agent, language],
        code: status,
      }),
    carries: [...all, "languages"],
    flags: {
      logFormat:
        '{"when":"$time_iso8601","client":{"from":"$remote_addr","asks":"$request","of":"$host"},"headers":["$http_referer","$http_user_agent","$http_accept_language"],"code":$status}',
    },
  },
  "AWS ALB": {
    write: ({ time, address, host, target, agent, status = 200 }) =>
      `h2 ${iso(time)} app/web/50dc6c495c0c9188 ${address}:2817 10.0.0.1:80 0.000 0.001 0.000 ${status} ${status} 34 366 "GET https://${host}:443${target} HTTP/2.0" "${agent}" ECDHE TLSv1.2 arn:aws "Root=1-58" "${host}" "arn" 0 ${iso(time)} "forward" "-" "-" "10.0.0.1:80" "200" "-" "-"`,
    carries: ["agents", "hostnames"],
  },
};
