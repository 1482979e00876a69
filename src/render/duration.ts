const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** A time for people, of whole seconds: `45 s`, `3 m 13 s`, `1 h 5 m`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / HOUR), Math.floor((whole % HOUR) / MINUTE)];
  const parts =
    hours > 0
      ? [`${hours} h`, minutes && `${minutes} m`]
      : [minutes && `${minutes} m`, whole % MINUTE && `${whole % MINUTE} s`];
  return parts.filter((part) => part !== 0).join(" ") || "0 s";
}
