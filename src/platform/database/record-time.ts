import { Column, type EntityManager } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';

/** The database's clock, one for all replicas, as the value of a column. */
export const NOW = (): string => 'now()';

/** A time that the database gives a new row. */
export const RecordTime = (): PropertyDecorator => Column({ type: 'timestamptz', default: NOW });

export interface RecordTimes {
  created_at: Date;
  updated_at: Date;
}

/** @returns the row with the times that the database gave it */
export async function insertRecord<Row extends object, Given extends Partial<Row>>(
  manager: EntityManager,
  entity: new () => Row,
  row: Given,
): Promise<Given & Pick<Row, Extract<keyof Row, `${string}_at`>>> {
  const { generatedMaps } = await manager.insert(entity, row as QueryDeepPartialEntity<Row>);
  return { ...row, ...(generatedMaps[0] as Row) };
}
