import { CreateBoard1763700000000 } from './1763700000000-create-board.js';

/** Every migration in order. Landed ones are never edited. */
export const migrations = [CreateBoard1763700000000];
