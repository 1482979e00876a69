import { WebSocket } from "undici";

type Send = (method: string, params?: object) => Promise<Record<string, unknown>>;

/**
 * Connects to the inspector of a process.
 *
 * @param address As Node prints it: `ws://127.0.0.1:<port>/<id>`.
 */
async function inspect<T>(address: string, use: (send: Send) => Promise<T>): Promise<T> {
  const socket = new WebSocket(address);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error("The inspector does not answer.")));
  });
  let last = 0;
  const send: Send = (method, params = {}) =>
    new Promise((resolve) => {
      const id = ++last;
      socket.addEventListener("message", ({ data }) => {
        const message = JSON.parse(String(data));
        if (message.id === id) resolve(message.result);
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  const result = await use(send);
  socket.close();
  return result;
}

/**
 * Reads how much of a process's heap is alive, in bytes. V8 collects when it likes, so memory in use says little about
 * memory that is held. Collecting everything stops the process for some tens of milliseconds.
 */
export const readLiveHeap = (address: string): Promise<number> =>
  inspect(address, async (send) => {
    await send("HeapProfiler.collectGarbage");
    const { usedSize } = await send("Runtime.getHeapUsage");
    return Number(usedSize);
  });

/** The value of an expression in the process, through JSON. */
export const evaluate = (address: string, expression: string): Promise<unknown> =>
  inspect(address, async (send) => {
    const { result } = await send("Runtime.evaluate", { expression, returnByValue: true });
    return Reflect.get(Object(result), "value");
  });
