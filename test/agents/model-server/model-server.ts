import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Json } from '../../support/mcp-client.js';
import { anthropic } from './anthropic.dialect.js';
import { chatCompletions } from './chat-completions.dialect.js';
import type { Asked, Dialect, Question, StreamEvent } from './dialect.js';
import { gemini } from './gemini.dialect.js';
import { responses } from './responses.dialect.js';
import { nextAnswer, type Scenario } from './scenarios.js';

const dialects = [anthropic, responses, chatCompletions, gemini];
const refusals = {
  401: { type: 'authentication_error', status: 'UNAUTHENTICATED', message: 'invalid api key' },
  429: { type: 'rate_limit_error', status: 'RESOURCE_EXHAUSTED', message: 'rate limited' },
  500: { type: 'api_error', status: 'INTERNAL', message: 'internal error' },
};

/** A model server on loopback that speaks the four APIs of the agents and plays a scenario. */
export class ModelServer {
  /** What went wrong in here: an agent without the tool that a scenario needs. */
  faults: string[] = [];
  /** What agents asked, oldest first. */
  readonly questions: Asked[] = [];
  private scenario: Scenario = 'answer';
  private readonly http = createServer(
    (request, response) => void this.serve(request, response).catch((error: Error) => this.fault(error, response)),
  );

  static async start(): Promise<ModelServer> {
    const server = new ModelServer();
    await new Promise<void>((listening) => server.http.listen(0, '127.0.0.1', listening));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  play(scenario: Scenario): void {
    this.scenario = scenario;
    this.faults = [];
  }

  /** The questions of a turn: those after its prompt was said. */
  asked(prompt: string): Asked[] {
    return this.questions.filter((question) => question.tools.length > 0 && question.prompt.includes(prompt));
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((closed) => this.http.close(closed));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, this.url);
    const dialect = dialects.find(({ endpoint }) => endpoint.test(pathname));
    if (request.method !== 'POST' || !dialect)
      return answer(response, /\/models$/.test(pathname) ? 200 : 404, { object: 'list', data: [] });
    const body = (await json(request)) as Json;
    const question = dialect.read(body);
    this.questions.push({ ...question, whole: JSON.stringify(body) });
    if (this.scenario === 'silence' && question.tools.length > 0) return;
    if (this.scenario === 'hang_up') return void response.destroy();
    if (typeof this.scenario === 'number') return refuse(response, this.scenario);
    this.reply(dialect, question, pathname, body, response);
  }

  private reply(dialect: Dialect, question: Question, pathname: string, body: Json, response: ServerResponse): void {
    const said = nextAnswer(this.scenario, question);
    if (body.stream === true || /stream/.test(pathname)) stream(response, dialect.stream(said, body));
    else answer(response, 200, dialect.whole(said, body));
  }

  private fault(error: Error, response: ServerResponse): void {
    this.faults.push(error.message);
    answer(response, 400, { error: { type: 'invalid_request_error', message: error.message } });
  }
}

function refuse(response: ServerResponse, status: keyof typeof refusals): void {
  const { type, status: name, message } = refusals[status];
  answer(response, status, { type: 'error', error: { type, code: status, status: name, message } });
}

function answer(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function stream(response: ServerResponse, events: StreamEvent[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(
    events
      .map(
        ({ event, data }) =>
          `${event ? `event: ${event}\n` : ''}data: ${data === '[DONE]' ? data : JSON.stringify(data)}\n\n`,
      )
      .join(''),
  );
}
