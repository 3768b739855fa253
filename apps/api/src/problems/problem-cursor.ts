import { wrongCursor } from '../http/page.js';

/** Where a problem stands in a listing. All of it is shown in its row. */
export interface ProblemPlace {
  /** 0 open, 1 acknowledged, 2 ended. */
  readonly stage: number;
  /** 1 critical, 2 warning, 3 info; 0 of an ended problem. */
  readonly rank: number;
  /** Of its end, or of its opening, to the microsecond. */
  readonly time: string;
  readonly id: string;
}

const CURSOR = /^([012])\.([0-3])\.(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)\.([0-9a-f-]{36})$/;

/** A place stays valid when the problem changes meanwhile. */
export const toCursor = ({ stage, rank, time, id }: ProblemPlace): string =>
  [stage, rank, time, id].join('.');

/** @throws InvalidRequestError */
export function parseCursor(text: string): ProblemPlace {
  const [, stage, rank, time = '', id = ''] = CURSOR.exec(text) ?? [];
  if (Number.isNaN(Date.parse(time))) throw wrongCursor();
  return { stage: Number(stage), rank: Number(rank), time, id };
}
