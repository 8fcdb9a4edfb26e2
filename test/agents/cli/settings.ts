import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const KEY = 'no-real-key';
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/** How an agent is pointed at a model server: variables of its environment, files of its home folder. */
interface Settings {
  variables: (url: string) => Record<string, string>;
  files?: (url: string) => Record<string, string>;
}

const proxies = (url: string) => ({ HTTP_PROXY: url, HTTPS_PROXY: url, http_proxy: url, https_proxy: url });
const openAiCompatible = (url: string) => ({
  npm: '@ai-sdk/openai-compatible',
  options: { baseURL: `${url}/v1`, apiKey: KEY },
  models: { 'loopback-model': {} },
});

const settings: Record<string, Settings> = {
  CLAUDE_CODE: {
    variables: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY, CLAUDE_CODE_MAX_RETRIES: '1' }),
  },
  CODEX: {
    variables: () => ({ LOOPBACK_KEY: KEY }),
    files: (url) => ({ '.codex/config.toml': codexConfig(url) }),
  },
  GEMINI: {
    variables: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: KEY }),
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: 'gemini-api-key' } },
      }),
    }),
  },
  OPENCODE: {
    variables: (url) => ({
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        model: 'loopback/loopback-model',
        provider: { loopback: openAiCompatible(url) },
      }),
    }),
  },
  COPILOT: {
    variables: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: 'loopback-model',
    }),
  },
  QWEN_CODE: {
    variables: (url) => ({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: KEY,
      OPENAI_MODEL: 'loopback-model',
      ...proxies(''),
    }), // it takes a proxy for loopback too
    files: () => ({
      '.qwen/settings.json': JSON.stringify({
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: 'openai' } },
      }),
    }),
  },
};

/** Writes the files into its home folder. @returns its environment */
export function pointAt(executor: string, url: string, home: string): Record<string, string> {
  const { variables, files } = settings[executor]!;
  for (const [name, content] of Object.entries(files?.(url) ?? {})) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), content);
  }
  return { ...secluded(home), ...variables(url) };
}

/** Everything of its own is in its home folder, and beyond loopback it reaches nothing. */
function secluded(home: string): Record<string, string> {
  const [TMPDIR, XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_DATA_HOME] = ['tmp', '.config', '.cache', '.local/share'].map(
    (name) => path.join(home, name),
  ) as [string, string, string, string];
  mkdirSync(TMPDIR);
  return {
    HOME: home,
    TMPDIR,
    XDG_CONFIG_HOME,
    XDG_CACHE_HOME,
    XDG_DATA_HOME,
    ...proxies(NOWHERE),
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
  };
}

function codexConfig(url: string): string {
  return [
    'model = "gpt-5.5"',
    'model_provider = "loopback"',
    '',
    '[model_providers.loopback]',
    'name = "loopback"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'env_key = "LOOPBACK_KEY"',
    'request_max_retries = 1',
    'stream_max_retries = 1',
    '',
  ].join('\n');
}
