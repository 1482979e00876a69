const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export interface HostVisits {
  host: string;
  /** Visitors a day, each with one page view. */
  visitors: number;
}

/** Lines of an access log with virtual hosts: for each host, as many visitors on each of three days, today included. */
export function writeHostLog(now: number, visits: readonly HostVisits[]): string {
  const lines = [2, 1, 0].flatMap((age) =>
    visits.flatMap(({ host, visitors }) =>
      Array.from({ length: visitors }, (_, index) => {
        const iso = new Date(now - age * 86_400_000 - 60_000).toISOString();
        const [year = "", month = "", day = ""] = iso.slice(0, 10).split("-");
        const time = `${day}/${MONTHS[Number(month) - 1]}/${year}:${iso.slice(11, 19)} +0000`;
        const address = `10.${age}.${Math.floor(index / 250)}.${index % 250}`;
        return `${host} ${address} - - [${time}] "GET /of/${host} HTTP/1.1" 200 99 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"\n`;
      }),
    ),
  );
  return lines.join("");
}
