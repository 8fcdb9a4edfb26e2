import { describe, expect, it } from '@jest/globals';
import { AppError } from '../errors/app-error.js';
import { localOwner, type Principal } from './principal.js';
import { refusalFor, withRight } from './rights.js';
import { PROJECT_ROLES, type Right, rightOf, type Scope, SCOPES } from './scopes.js';

/** The least role in a project that may do what needs the scope. */
const LEAST = {
  read: 'viewer',
  write: 'member',
  execute: 'member',
  approve: 'member',
  deliver: 'maintainer',
  admin: 'owner',
  act_as: 'owner',
} as const;
const rights = SCOPES.flatMap((scope) => PROJECT_ROLES.map((role) => rightOf({ scope, role })));
const rank = (role: (typeof PROJECT_ROLES)[number]) => ['viewer', 'member', 'maintainer', 'owner'].indexOf(role);
const named = ({ scope, role }: Right) => `${scope} as ${role}`;
const worker = { id: 'w' } as unknown as Principal['worker'];
const by = (scopes: readonly Scope[], more: Partial<Principal> = {}): Principal => ({ ...localOwner, ...more, scopes });

/** What the caller is answered. */
function verdict(act: () => AppError | null | Principal): string {
  try {
    const answer = act();
    return answer instanceof AppError ? answer.code : 'allowed';
  } catch (error) {
    return `${(error as AppError).code} ${String((error as AppError).details?.scope)}`;
  }
}

describe('each operation, by what it asks of its caller', () => {
  it.each(SCOPES)('is done by a person with the scope %s where it asks for no other', (scope) => {
    const answers = rights.map((right) => [named(right), verdict(() => withRight(by([scope], { worker }), right))]);
    expect(answers).toEqual(
      rights.map((right) => [named(right), right.scope === scope ? 'allowed' : `insufficient_scope ${right.scope}`]),
    );
  });

  it.each(SCOPES)('is done with a token of the scope %s where it asks for no role beyond it', (scope) => {
    const expected = ({ scope: asked, role }: Right): string => {
      if (asked !== scope) return `insufficient_scope ${asked}`;
      return role === LEAST[asked] || scope === 'admin' ? 'allowed' : 'insufficient_scope admin';
    };
    const answers = rights.map((right) => [named(right), verdict(() => withRight(by([scope]), right))]);
    expect(answers).toEqual(rights.map((right) => [named(right), expected(right)]));
  });

  it('is done by who may do everything, and keeps what it asks for', () => {
    expect(rights.map((right) => withRight(by(SCOPES), right).operation)).toEqual(rights);
  });
});

describe('each operation on a record, by the role of the caller in its project', () => {
  const nothing = () => new AppError('project_not_found', { project_id: 'x' });
  const answered = (project_role: (typeof PROJECT_ROLES)[number] | null, caller: Principal) =>
    rights.map((operation) => [
      named(operation),
      verdict(() => refusalFor({ project_role, project_id: 'x' }, { ...caller, operation }, nothing)),
    ]);

  it.each(PROJECT_ROLES)('is done by a %s whose role brings its scope, and is the least that it asks for', (mine) => {
    const expected = ({ scope, role }: Right): string => {
      if (rank(mine) < rank(LEAST[scope])) return 'insufficient_scope';
      return rank(mine) < rank(role) ? 'forbidden' : 'allowed';
    };
    expect(answered(mine, by(SCOPES))).toEqual(rights.map((right) => [named(right), expected(right)]));
  });

  it('finds nothing for who is no member, unless the caller acts for others', () => {
    expect(answered(null, by(['read', 'write']))).toEqual(rights.map((right) => [named(right), 'project_not_found']));
    expect(answered(null, by(['act_as']))).toEqual(rights.map((right) => [named(right), 'not_a_member']));
  });
});
