import { Agent, type IncomingMessage, request, type RequestOptions } from 'node:http';
import { AppError } from '../../platform/errors/app-error.js';
import { errorCatalogue, type ErrorCode } from '../../platform/errors/error-catalogue.js';
import { type AnswerHead, AnswerReader } from './port-answer.js';
import { type PortMethod, portMethods } from './port-methods.js';
import { digestOf, isSame, newNonce, PORT_VERSION, PortKey } from './port-signature.js';

/** The runner that answers, and where. */
export interface PortEnd {
  runner_id: string;
  /** `host:port`. */
  address: string;
}

/** Several signs of life are missing after this time. */
const SILENCE_MS = 10_000;
const REFUSAL_BYTES = 4_096;

interface Sent {
  signature: string;
  nonce: string;
}
interface Limits {
  silenceMs: number;
  /** Replaces the timeouts of all methods. */
  timeoutMs?: number;
}

/** Calls other runners. Transport failures are `workspace_unavailable`; what the runner itself throws is rethrown
 *  here. */
export class PortClient {
  private readonly key: PortKey;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: 60_000 });
  /** How far the clock of each address is ahead, by its own word. */
  private readonly clocks = new Map<string, number>();

  constructor(
    secret: string,
    private readonly limits: Limits = { silenceMs: SILENCE_MS },
  ) {
    this.key = new PortKey(secret);
  }

  /** @throws AppError workspace_unavailable, and whatever the method refuses */
  async call(end: PortEnd, method: PortMethod, args: readonly unknown[]): Promise<unknown> {
    const body = Buffer.from(JSON.stringify(args));
    const answer = await this.ask(end, method, body).catch((error: unknown) => {
      if (error instanceof ClockApart) return this.ask(end, method, body);
      throw error;
    });
    if (answer.error !== undefined) throw refusalOf(end, answer.error);
    return answer.result;
  }

  close(): void {
    this.agent.destroy();
  }

  private async ask(end: PortEnd, method: PortMethod, body: Buffer): Promise<AnswerHead> {
    const limit = new AbortController();
    const overdue = setTimeout(
      () => limit.abort(new Error('it takes too long')),
      this.limits.timeoutMs ?? portMethods[method].timeoutMs,
    );
    const silence = setTimeout(() => limit.abort(new Error('it is silent')), this.limits.silenceMs);
    try {
      return await this.exchange(end, method, body, limit.signal, silence);
    } catch (error) {
      if (error instanceof ClockApart) throw error;
      throw unavailable(end, reasonOf(limit.signal.aborted ? limit.signal.reason : error));
    } finally {
      clearTimeout(overdue);
      clearTimeout(silence);
    }
  }

  private async exchange(
    end: PortEnd,
    method: PortMethod,
    body: Buffer,
    signal: AbortSignal,
    silence: NodeJS.Timeout,
  ): Promise<AnswerHead> {
    const { sent, response } = await this.send(end, method, body, signal);
    if (response.statusCode !== 200) throw await this.refused(end, sent, response);
    const reader = new AnswerReader(this.key.answerTo(sent.signature));
    for await (const chunk of response as AsyncIterable<Buffer>) {
      silence.refresh();
      reader.push(chunk);
    }
    return reader.end(portMethods[method].text);
  }

  private async send(
    { runner_id, address }: PortEnd,
    method: PortMethod,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<{ sent: Sent; response: IncomingMessage }> {
    const nonce = newNonce();
    const time = Date.now() + (this.clocks.get(address) ?? 0);
    const digest = digestOf(body);
    const signature = this.key.sign({ method, runner_id, time, nonce, digest });
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      'taskyard-runner': runner_id,
      'taskyard-time': String(time),
      'taskyard-nonce': nonce,
      'taskyard-body': digest,
      'taskyard-signature': signature,
    };
    const url = `http://${address}/workspaces/${PORT_VERSION}/${method}`;
    const post = () => posted(url, { method: 'POST', agent: this.agent, headers, signal }, body);
    const response = await post().catch((error: unknown) => {
      if (error instanceof RestedConnection) return post();
      throw error;
    });
    return { sent: { signature, nonce }, response };
  }

  private async refused({ address }: PortEnd, { nonce }: Sent, response: IncomingMessage): Promise<Error> {
    const { 'taskyard-time': time, 'taskyard-time-signature': signature } = response.headers;
    const reason = await beginning(response);
    if (typeof time !== 'string' || typeof signature !== 'string') return new Error(reason);
    if (!isSame(signature, this.key.signTime(nonce, Number(time)))) return new Error(reason);
    this.clocks.set(address, Number(time) - Date.now());
    return new ClockApart(reason);
  }
}

/** A kept-alive connection had broken. Repeating the request is safe, because a runner answers each only once. */
class RestedConnection extends Error {}

function posted(url: string, options: RequestOptions, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sending = request(url, options)
      .once('response', resolve)
      .once('error', (error: NodeJS.ErrnoException) => {
        const hasRested = sending.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
        reject(hasRested ? new RestedConnection(error.message, { cause: error }) : error);
      });
    sending.end(body);
  });
}

/** The runner's clock differs; the difference is remembered and used from now on. */
class ClockApart extends Error {}

async function beginning(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    text += chunk.toString('utf8');
    if (text.length > REFUSAL_BYTES) break;
  }
  return `it refused with ${response.statusCode}: ${text.slice(0, 200).trim()}`;
}

const unavailable = ({ runner_id }: PortEnd, reason: string): AppError =>
  new AppError('workspace_unavailable', { runner_id, reason });

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : `no connection (${code})`;
}

/** Codes of newer runners are unknown here. */
function refusalOf(end: PortEnd, { code, details, hint }: NonNullable<AnswerHead['error']>): AppError {
  return Object.hasOwn(errorCatalogue, code)
    ? AppError.passedOn(code as ErrorCode, details, hint)
    : unavailable(end, `it is of another version, and refuses with ${code}`);
}
