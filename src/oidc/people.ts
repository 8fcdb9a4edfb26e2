/** The parts of a worker that matter for a principal. */
export interface Person {
  id: string;
  handle: string;
  type: 'human' | 'agent';
}

/** Finds workers of token holders. Provided by the module that knows workers. */
export abstract class People {
  /** @param user_id `issuer|subject` */
  abstract findByUserId(user_id: string): Promise<Person | null>;
}
