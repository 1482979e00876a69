import { WebSocket } from "undici";

/**
 * Reads, through the inspector of a process, how much of its heap is alive: V8 collects when it likes, so what a
 * process takes says little of what it holds. Collecting everything stops the process for some tens of milliseconds.
 *
 * @param address As Node prints it: `ws://127.0.0.1:<port>/<id>`.
 */
export async function readLiveHeap(address: string): Promise<number> {
  const socket = new WebSocket(address);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error("The inspector does not answer.")));
  });
  const ask = (id: number, method: string) =>
    new Promise<Record<string, unknown>>((resolve) => {
      socket.addEventListener("message", ({ data }) => {
        const message = JSON.parse(String(data));
        if (message.id === id) resolve(message.result);
      });
      socket.send(JSON.stringify({ id, method }));
    });
  await ask(1, "HeapProfiler.collectGarbage");
  const { usedSize } = await ask(2, "Runtime.getHeapUsage");
  socket.close();
  return Number(usedSize);
}
