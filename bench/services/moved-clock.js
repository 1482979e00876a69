// Preloaded into a service (`node --import`) that gives its visits the time of its own clock: the parent process moves that.
const RealDate = Date;
let ahead = Number(process.env.CLOCK_START) - RealDate.now();

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, caller) =>
    Reflect.construct(target, given.length === 0 ? [readClock()] : given, caller),
  get: (target, name) => (name === "now" ? readClock : Reflect.get(target, name)),
});

function readClock() {
  return RealDate.now() + ahead;
}

process.on("message", (now) => {
  ahead = Number(now) - RealDate.now();
  process.send?.(now);
});
process.channel?.unref();
