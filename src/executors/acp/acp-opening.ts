import { isObject, listOf, objectOf, textOf, type Json } from '../agent/json.js';
import type { Failure } from '../agent/failure.js';
import { promptText } from '../agent/earlier-turns.js';
import type { Turn } from '../executor.js';
import { acpFailure, type AcpMethod, type AcpRequest, AUTH_REQUIRED } from './acp-messages.js';
import type { AcpProfile, AcpVariant } from './acp-profiles.js';

const PROTOCOL_VERSION = 1;
/** The worktree is local: agents write it themselves. Some cannot create files when the client offers to. */
const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

/** The answer to the prompt is not part of the opening. */
export type OpeningMethod = Exclude<AcpMethod, 'session/prompt'>;

/** From the greeting to the prompt: which request follows which answer. */
export class AcpOpening {
  sessionId: string | null = null;
  /** Session id that requests use. */
  sessionName: string | null = null;
  /** Why the session of earlier turns could not be resumed, or null. */
  lost: string | null = null;
  resumedBy: AcpMethod | null = null;
  failure: Failure | null = null;
  private agent: Json = {};
  private ways: AcpMethod[] = [];
  private hasLoggedIn = false;
  private hasReplayed = false;
  private isReplaying = false;

  constructor(
    private readonly turn: Turn,
    private readonly profile: AcpProfile,
    private readonly variant: AcpVariant,
  ) {}

  /** Whether updates belong to this turn rather than to a replay of earlier ones. */
  get isReady(): boolean {
    return this.sessionId !== null && !this.isReplaying;
  }

  /** Updates before the session is ready replay earlier turns and are dropped. */
  replayed(): [] {
    this.hasReplayed = true;
    return [];
  }

  start(): AcpRequest {
    return {
      method: 'initialize',
      params: { protocolVersion: PROTOCOL_VERSION, clientInfo: { name: 'taskyard', version: '1' }, clientCapabilities },
    };
  }

  /** The request that follows an answer; null when nothing does. */
  next(method: OpeningMethod, answer: Json): AcpRequest | null {
    const failure = acpFailure(answer);
    const result = objectOf(answer.result);
    switch (method) {
      case 'initialize':
        return failure ? this.fail(failure) : this.greeted(result);
      case 'authenticate':
        return failure ? this.fail({ ...failure, kind: 'login_missing' }) : this.openSession();
      case 'session/resume':
      case 'session/load':
      case 'session/new':
        return failure ? this.refused(method, failure, answer) : this.opened(method, result);
      case 'session/set_mode':
        return failure
          ? this.fail({ kind: 'protocol', message: `could not set the mode: ${failure.message}` })
          : this.prompt();
    }
  }

  private greeted(result: Json): AcpRequest {
    this.agent = result;
    const capabilities = objectOf(result.agentCapabilities);
    const offered = {
      resume: isObject(objectOf(capabilities.sessionCapabilities).resume),
      load: capabilities.loadSession === true,
    };
    const known = this.turn.agent_session_id === null ? [] : this.profile.resume.filter((way) => offered[way]);
    this.ways = [...known.map((way): AcpMethod => `session/${way}`), 'session/new'];
    if (this.turn.agent_session_id !== null && known.length === 0) this.lost = 'the agent cannot resume sessions';
    return this.openSession();
  }

  private openSession(): AcpRequest {
    const method = this.ways[0]!;
    const place = { cwd: this.turn.cwd, mcpServers: this.mcpServers() };
    return { method, params: method === 'session/new' ? place : { sessionId: this.knownName(method), ...place } };
  }

  private refused(method: AcpMethod, failure: Failure, answer: Json): AcpRequest | null {
    if (objectOf(answer.error).code === AUTH_REQUIRED && !this.hasLoggedIn) return this.logIn(failure);
    if (method === 'session/new') return this.fail(failure);
    return this.lose(failure.message);
  }

  private lose(why: string): AcpRequest {
    this.lost = why;
    this.ways.shift();
    this.hasReplayed = false;
    return this.openSession();
  }

  private logIn(failure: Failure): AcpRequest | null {
    this.hasLoggedIn = true;
    const offered = listOf(this.agent.authMethods).map((one) => textOf(objectOf(one).id));
    const methodId = this.profile.auth_methods.find((id) => offered.includes(id));
    return methodId === undefined ? this.fail(failure) : { method: 'authenticate', params: { methodId } };
  }

  private opened(method: AcpMethod, result: Json): AcpRequest | null {
    const isNew = method === 'session/new';
    // Some agents "load" sessions that do not exist.
    if (method === 'session/load' && !this.hasReplayed) return this.lose('nothing was loaded');
    const id = isNew ? textOf(result.sessionId) : this.turn.agent_session_id!;
    if (id === '') return this.fail({ kind: 'protocol', message: 'a session without an id' });
    this.sessionId = id;
    this.sessionName = isNew ? id : this.knownName(method);
    if (!isNew) [this.lost, this.resumedBy] = [null, method];
    return this.setMode(
      textOf(objectOf(result.modes).currentModeId),
      method === 'session/load' && this.profile.replays_late === true,
    );
  }

  /** May set the mode that is already set, just to get an answer after the replay. */
  private setMode(current: string, isReplaying: boolean): AcpRequest {
    const wanted = this.variant.mode ?? current;
    this.isReplaying = isReplaying && wanted !== '';
    if (wanted === current && !this.isReplaying) return this.prompt();
    return { method: 'session/set_mode', params: { sessionId: this.sessionName, modeId: wanted } };
  }

  private knownName(method: AcpMethod): string {
    const id = this.turn.agent_session_id!;
    return method === 'session/load' ? (this.profile.load_name?.(id) ?? id) : id;
  }

  private prompt(): AcpRequest {
    this.isReplaying = false;
    return {
      method: 'session/prompt',
      params: {
        sessionId: this.sessionName,
        prompt: [{ type: 'text', text: promptText(this.turn, this.lost !== null) }],
      },
    };
  }

  private mcpServers(): Json[] {
    const { mcp } = this.turn;
    const takesHttp = objectOf(objectOf(this.agent.agentCapabilities).mcpCapabilities).http === true;
    if (!mcp || !takesHttp) return [];
    return [
      {
        type: 'http',
        name: mcp.name,
        url: mcp.url,
        headers: Object.entries(mcp.headers).map(([name, value]) => ({ name, value })),
      },
    ];
  }

  private fail(failure: Failure): null {
    this.failure = failure;
    return null;
  }
}
