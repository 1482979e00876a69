import { chmodSync, chownSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { isWritableByOthers } from "../../src/config/file-permissions.ts";
import { readMachine } from "../../src/setup/machine.ts";

// As for a user that a container made up.
vi.mock("node:os", async (load) => {
  const fail = () => {
    throw new Error("ENOENT");
  };
  return { ...(await load<typeof import("node:os")>()), userInfo: fail, homedir: fail };
});

const folder = mkdtempSync(join(tmpdir(), "permissions-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("for a user without a name", () => {
  it("a home folder must be given", () => {
    expect(readMachine({ HOME: "/home/jane" }, "linux").home).toBe("/home/jane");
    expect(() => readMachine({}, "linux")).toThrow("This user has no home folder");
  });

  it("a folder is only writable by others if its mode or its owner says so", () => {
    expect(userInfo).toThrow();
    expect(isWritableByOthers(folder)).toBe(false);
    chmodSync(folder, 0o720);
    expect(isWritableByOthers(folder)).toBe(true);
    chmodSync(folder, 0o700);
    // Only root can give it to another user.
    if (statSync(folder).uid !== 0) return;
    chownSync(folder, 12_345, 12_345);
    expect(isWritableByOthers(folder)).toBe(true);
  });
});
