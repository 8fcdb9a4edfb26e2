import type { ViewChoice } from '../../src/mcp/catalogue/toolset-catalogue.js';
import { schemaProfiles } from '../../src/platform/fields/schema-profiles.js';

const flags = [false, true];
const callers = [null, 'own', 'attempts'] as const;

/** Every view that callers who may call everything can ask a toolset for. */
export const everyChoice: ViewChoice[] = schemaProfiles.flatMap((profile) =>
  flags.flatMap((readonly) =>
    flags.flatMap((bound) =>
      flags.flatMap((inProject) =>
        flags.flatMap((hasForge) => callers.map((run) => ({ profile, readonly, bound, inProject, hasForge, run }))),
      ),
    ),
  ),
);
