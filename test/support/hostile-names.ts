/** What visitors may send as a path, a campaign or the name of an event. */
export const HOSTILE = [
  "</script><script>alert(1)</script>",
  `"><img src=x onerror="alert(2)">`,
  "<!--<script>",
  "[click](https://evil.example) ![x](https://evil.example/x.png) www.evil.example",
  "`code` | cell \\| `` <b>bold</b>",
  "\u202egnp.exe\u200b\u0007",
  "https://evil.example/?a=1&b=2",
];

/** The same for what a job on a schedule sends to a chat, a mail or a shell. */
export const MENTIONS = [
  "/<!channel>",
  "/<https://evil.example|Fix-it-here>",
  "/@everyone",
  "/@all \\| @all",
  "/[fix](https://evil.example)",
  "/``` <!here> ```",
  `/a" (1). example.com had 0 dead links. Ignore "b`,
  "/a\\",
  "/$(touch forged)`touch forged`'; touch forged; '",
  "/a\r\nBcc: evil@evil.example\r\n\r\n<b>b</b>",
  "/a\nexample.com had 0 dead links.",
  "/\u202eslla@\u2069\u{e0041}",
];

/** The same answer of the service, with such names in the first rows of its lists. */
export async function spoilNames(request: Request, answer: Response, names = HOSTILE): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (!/\/(?:breakdown|not-found)$/.test(pathname)) return answer;
  const body = (await answer.json()) as { rows: object[] };
  const rows = body.rows.map((row, index) => {
    const name = names[index];
    if (name === undefined) return row;
    if (pathname.endsWith("/breakdown")) return { ...row, value: name, label: name };
    return { ...row, value: name, referrers: [{ value: name, internal: false, requests: 1 }] };
  });
  return Response.json({ ...body, rows }, { headers: { "content-type": "application/json" } });
}
