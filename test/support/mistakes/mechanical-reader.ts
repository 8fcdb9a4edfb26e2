import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { isRecord } from '../../../src/platform/fields/normalise.js';
import type { Json, McpClient } from '../mcp-client.js';
import { tokensOf } from '../tokens.js';

export interface Call {
  tool: string;
  arguments: Json;
  /** What happens once it was made. */
  afterwards?: () => void;
}
/** A wrong call, and the right one where that is not the same call with the same arguments. */
export interface Mistake extends Call {
  right?: Json;
  goal?: Call;
  /** Words of the caller for what a named call leaves out. */
  own?: Json;
  /** What a person has to do, where no call helps. */
  person?: RegExp;
}

/** How a mistake ended. */
export interface Repair {
  /** Calls after the wrong one until the goal was reached; 0 is a lenient reading. */
  more: number;
  /** The calls that refusals named. */
  nexts: Call[];
  /** Tokens of each refusal that named one. */
  tokens: number[];
  /** What happened, for whoever reads a failure. */
  steps: string[];
}

/** More are not tried. */
const MOST = 4;
const UUID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;
/** Ids have 18 to 30 tokens, in the mean 23, as this one: with those of a run each would count otherwise. */
const USUAL_ID = '01a21a18-cf77-7126-a4fd-0f73a8a73454';
/** What a caller has to take from the server; everything else are words of its own. */
const IS_READ = /^[^\s@]{3,}$/;

/** A caller without any thought of its own. It follows `next` to the letter; without one, or after a read, it makes the
 *  call that it wanted, as soon as it has heard every value in it; until then it reads where the description of the
 *  missing argument says that it comes from. */
export class MechanicalReader {
  private heard = '';

  private constructor(
    private readonly client: McpClient,
    private readonly tools: Map<string, Tool>,
    /** Which of several records it means, by the name of their ids. */
    private readonly meant: Json,
  ) {}

  static async of(client: McpClient, meant: Json): Promise<MechanicalReader> {
    const { tools } = await client.sdk.listTools();
    return new MechanicalReader(client, new Map(tools.map((tool) => [tool.name, tool])), meant);
  }

  async repair({ right, goal, own = {}, ...wrong }: Omit<Mistake, 'person'>): Promise<Repair> {
    const wanted = goal ?? { tool: wrong.tool, arguments: right ?? wrong.arguments };
    const repair: Repair = { more: 0, nexts: [], tokens: [], steps: [] };
    this.heard = JSON.stringify(wrong);
    for (let call: Call | undefined = wrong; call && repair.more <= MOST; repair.more += 1) {
      const { refused, answer } = await this.make(call);
      this.heard += JSON.stringify(answer);
      repair.steps.push(`${call.tool} ${JSON.stringify(call.arguments)} → ${JSON.stringify(answer).slice(0, 600)}`);
      if (!refused && (repair.more === 0 || call.tool === wanted.tool)) return repair;
      const next = refused ? nextIn(answer) : undefined;
      if (next) {
        repair.nexts.push(next);
        repair.tokens.push(tokensOf(JSON.stringify(answer).replace(UUID, USUAL_ID)));
      }
      call = next ? this.completed(next, own) : this.afterwards(wanted);
    }
    return { ...repair, more: Infinity };
  }

  /** What a refusal tells a person. */
  async hint(wrong: Call): Promise<string> {
    const { refused, answer } = await this.make(wrong);
    return refused ? (answer.hint as string) : JSON.stringify(answer);
  }

  private async make({ tool, arguments: args, afterwards }: Call): Promise<{ refused: boolean; answer: Json }> {
    try {
      const result = await this.client.sdk.callTool({ name: tool, arguments: args });
      const answer = result.structuredContent as Json;
      return { refused: result.isError === true || answer.data?.ok === false, answer };
    } catch (error) {
      const { data } = error as { data?: unknown };
      if (!isRecord(data)) throw error;
      return { refused: true, answer: data }; // an unknown tool is an error of the protocol
    } finally {
      afterwards?.();
    }
  }

  /** What the server left out of a call is the caller's own. */
  private completed({ tool, arguments: args }: Call, own: Json): Call {
    const lacking = (this.tools.get(tool)?.inputSchema.required ?? []).filter((name) => !(name in args));
    return { tool, arguments: { ...args, ...Object.fromEntries(lacking.map((name) => [name, own[name]])) } };
  }

  private afterwards(wanted: Call): Call | undefined {
    return this.canMake(wanted) ? wanted : this.source(wanted);
  }

  private canMake({ tool, arguments: args }: Call): boolean {
    return this.heard.includes(tool) && this.unheard(args).length === 0;
  }

  private unheard(args: Json): string[] {
    const isUnheard = (value: unknown): boolean =>
      isRecord(value) || Array.isArray(value)
        ? Object.values(value).some(isUnheard)
        : typeof value === 'string' && IS_READ.test(value) && !this.heard.includes(value);
    return Object.keys(args).filter((name) => isUnheard(args[name]));
  }

  /** The read that yields what is missing, or what that read needs in turn. */
  private source({ tool, arguments: args }: Call): Call | undefined {
    const [missing] = this.unheard(args);
    const properties = (this.tools.get(tool)?.inputSchema.properties ?? {}) as Record<string, { description?: string }>;
    const from = /from (\w+)/.exec(properties[missing ?? '']?.description ?? '')?.[1];
    const source = this.tools.get(from ?? '');
    if (source === undefined) return undefined;
    const needed = source.inputSchema.required ?? [];
    const call = { tool: source.name, arguments: Object.fromEntries(needed.map((name) => [name, this.meant[name]])) };
    return this.unheard(call.arguments).length === 0 ? call : this.source(call);
  }
}

function nextIn(answer: Json): Call | undefined {
  const details = answer.details ?? answer.error?.details ?? answer.data?.error?.details;
  return details?.next as Call | undefined;
}
