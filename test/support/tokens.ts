import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import type { PublishedTool } from '../../src/mcp/catalogue/published-tool.js';

/** As the newer models of OpenAI count; those of others are near. */
export const tokensOf = (text: string): number => encode(text).length;

/** Tools as a model sees them: clients keep the rest to themselves. */
export const tokensOfTools = ({ published }: { published: readonly PublishedTool[] }): number =>
  published.reduce((sum, { name, description, inputSchema }) => {
    return sum + tokensOf(JSON.stringify({ name, description, inputSchema }));
  }, 0);
