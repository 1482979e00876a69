import type { Reporter, TestModule } from "vitest/node";

/** Ends the output with one plain line of totals, and names what was skipped. */
class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    const broken = modules.filter((module) => module.state() === "failed" && module.errors().length > 0);
    const skipped = inState("skipped");
    const failed =
      inState("failed").length +
      broken.length +
      errors.length +
      (process.env.REQUIRE_ALL ? skipped.length : 0);
    for (const test of skipped) process.stdout.write(`skipped: ${test.fullName}\n`);
    if (process.env.REQUIRE_ALL && skipped.length > 0) process.exitCode = 1;
    const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : "";
    process.stdout.write(`\n${inState("passed").length} passed, ${failed} failed${tail}\n`);
  }
}

export { SummaryReporter as default };
