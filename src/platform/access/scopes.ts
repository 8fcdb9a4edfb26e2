/** What a credential may allow. */
export const SCOPES = ['read', 'write', 'execute', 'approve', 'deliver', 'admin', 'act_as'] as const;
export type Scope = (typeof SCOPES)[number];

/** Roles in a project, each with the rights of the ones before it. */
export const PROJECT_ROLES = ['viewer', 'member', 'maintainer', 'owner'] as const;
export type ProjectRole = (typeof PROJECT_ROLES)[number];

/** What an operation asks of its caller: a scope, and in the project it touches at least a role. */
export interface Right {
  scope: Scope;
  role: ProjectRole;
}

/** The least role that includes a scope in its project. */
const roleWith: Record<Scope, ProjectRole> = {
  read: 'viewer',
  write: 'member',
  execute: 'member',
  approve: 'member',
  deliver: 'maintainer',
  admin: 'owner',
  act_as: 'owner',
};

const rights = new Map(
  SCOPES.flatMap((scope) => PROJECT_ROLES.map((role): [string, Right] => [`${scope} ${role}`, { scope, role }])),
);

/** The same object for the same right.
 *  @param role where an operation asks for more than the role that brings its scope */
export const rightOf = ({ scope, role = roleWith[scope] }: { scope: Scope; role?: ProjectRole }): Right =>
  rights.get(`${scope} ${role}`)!;

export const isAtLeast = (role: ProjectRole, needed: ProjectRole): boolean =>
  PROJECT_ROLES.indexOf(role) >= PROJECT_ROLES.indexOf(needed);

export const grants = (role: ProjectRole, scope: Scope): boolean => isAtLeast(role, roleWith[scope]);
