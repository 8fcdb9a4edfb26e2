import { Injectable } from '@nestjs/common';
import { asActor, chargedAs, goesOnByItself, goingOn, type Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { TurnAuthor } from './turn-author.entity.js';

/** Remembers who asked for the turns of an attempt, so that what the server starts by itself has somebody's name,
 *  rights and limits. */
@Injectable()
export class TurnAuthors {
  constructor(private readonly database: Database) {}

  /** Of whoever begins a turn, unless it goes on by itself. */
  async keep(_tx: Transaction, attempt_id: string, principal: Principal): Promise<void> {
    if (goesOnByItself(principal)) return;
    const { worker: worker_id, actor, groups } = principal;
    const author = { attempt_id, worker_id, ...actor, groups: [...groups], charged_to: chargedAs(principal) };
    await this.database.manager.upsert(TurnAuthor, author, {
      conflictPaths: ['attempt_id'],
      skipUpdateIfNoValuesChanged: true,
    });
  }

  /** In whose name the attempt goes on, to be checked when it does; null if nobody is on record. */
  async find(attempt_id: string): Promise<Principal | null> {
    const author = await this.database.manager.findOneBy(TurnAuthor, { attempt_id });
    if (author === null) return null;
    const { name, type, worker_id: worker, groups, charged_to: chargedTo } = author;
    return goingOn({ ...asActor(name, type), worker, groups, chargedTo });
  }
}
