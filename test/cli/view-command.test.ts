import { expect, it } from "vitest";
import { runShell } from "../support/shell.ts";

it.each([
  ["203.0.113.7 50000 198.51.100.5 22", "maria", "ssh -L PORT:127.0.0.1:PORT maria@198.51.100.5"],
  ["203.0.113.7 50000 2001:db8::5 2222", "maria", "ssh -L PORT:127.0.0.1:PORT -p 2222 maria@2001:db8::5"],
  ["UNKNOWN", "", "ssh -L PORT:127.0.0.1:PORT you@server"],
  ["1 2 $(reboot) ;reboot", "-oProxyCommand=x", "ssh -L PORT:127.0.0.1:PORT you@server"],
])(
  "view over ssh (%s) prints the line that forwards its port, and opens no browser",
  async (connection, user, line) => {
    const { code, stdout, stderr } = await runShell(["view", "--demo", "--port", "0"], {
      environment: { SSH_CONNECTION: connection, USER: user },
    });
    const { port } = new URL(stdout.trim());
    expect([code, stderr]).toEqual([
      0,
      `This is over ssh. Run this line on your own computer, then open the address there:\n  ${line.replaceAll("PORT", port)}\nCtrl-C stops it.\n`,
    ]);
  },
);

it.each([["shop.example.net"], ["https://shop.example.net/"], ["--site", "shop.example.net"]])(
  "view %s %s opens the page of a site",
  async (...site) => {
    const { code, stdout } = await runShell(["view", "--demo", ...site, "--no-open", "--port", "0"]);
    expect([code, new URL(stdout.trim()).pathname.split("/").slice(2)]).toEqual([0, ["shop.example.net"]]);
  },
);

it("view does not start while nothing is set up", async () => {
  const { code, stdout, stderr } = await runShell(["view", "--no-open", "--port", "0"]);
  expect([code, stdout, stderr]).toEqual([4, "", expect.stringContaining("error: Nothing is set up yet.\n")]);
});

it("view says in the shell, too, what keeps the data from being read", async () => {
  let end = () => {};
  const stop = new Promise<void>((resolve) => {
    end = resolve;
  });
  const argv = [
    "view",
    "--logs",
    "/no-such-folder/*.log",
    "--site",
    "example.com",
    "--no-open",
    "--port",
    "0",
  ];
  const { code, stderr } = await runShell(argv, {
    stop,
    onStderr: (text) => text.includes("hint:") && end(),
  });
  expect(code).toBe(0);
  expect(stderr).toContain('error: No log file matches "/no-such-folder/*.log".\nhint: Check the path.');
});
