import type { ComponentType } from 'preact';
import type { Me } from '../frame/session.js';
import { Sections } from '../parts/sections.js';
import { useTitle } from '../parts/tab-state.js';
import { hasScope } from '../rights.js';
import { type InstancePart, type Place, to } from '../routes.js';
import { InstanceAudit } from './instance-audit.js';
import { People } from './people.js';
import { Runners } from './runners.js';
import { Tokens } from './tokens.js';
import { ToolCalls } from './tool-calls.js';

const VIEWS: Record<InstancePart, { words: string; View: ComponentType<{ me: Me }> }> = {
  people: { words: 'People', View: People },
  tokens: { words: 'Tokens', View: Tokens },
  runners: { words: 'Runners', View: Runners },
  calls: { words: 'Tool calls', View: ToolCalls },
  audit: { words: 'Audit log', View: InstanceAudit },
};

/** What concerns the whole server; for its administrators. */
export function InstancePage({ place, me }: { place: Place; me: Me }) {
  const section = place.section as InstancePart;
  const { words, View } = VIEWS[section];
  const isAdmin = hasScope(me, 'admin');
  useTitle(isAdmin ? `${words} · Instance` : 'Instance');
  return (
    <>
      <h1>Instance</h1>
      {isAdmin ? (
        <Sections
          label="Instance"
          chosen={section}
          sections={(Object.keys(VIEWS) as InstancePart[]).map((one) => [one, VIEWS[one].words])}
          addressOf={(one) => to.instance(one)}
        >
          <h2>{words}</h2>
          <View me={me} />
        </Sections>
      ) : (
        <p class="notice">
          This is for administrators of the server. You are signed in as {me.name}, and may {me.scopes.join(', ')}: ask
          whoever runs the server for the right <strong>admin</strong>.
        </p>
      )}
    </>
  );
}
