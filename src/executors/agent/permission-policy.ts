/** How permission requests of an agent are answered: by the adapter, by a person, or with a no. */
export type PermissionPolicy = 'allow' | 'ask' | 'refuse';
