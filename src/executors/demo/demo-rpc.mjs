/** JSON-RPC over standard input and output, one message a line. */
export const send = (message) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** An error with a code of the protocol. */
export class RpcError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Requests to the client and their answers. */
export const peer = {
  nextId: 1,
  waiting: new Map(),
  request(method, params) {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  },
  settle({ id, result, error }) {
    const request = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) request?.reject(new RpcError(error.code, error.message));
    else request?.resolve(result);
  },
};

/** Runs a method and answers; a notification gets no answer. */
export async function answerTo({ id, method, params }, run) {
  try {
    if (!run) throw new RpcError(-32601, `Method not found: ${method}`);
    const result = await run(params ?? {});
    if (id !== undefined) send({ id, result: result ?? {} });
  } catch (error) {
    if (id !== undefined)
      send({
        id,
        error: { code: error.code > -33000 && error.code < 0 ? error.code : -32603, message: error.message },
      });
  }
}
