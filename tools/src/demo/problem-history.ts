import { Database } from '@ssb/postgres';
import { renderTable } from '@ssb/platform';
import { formatTime, shortenType } from '../report/event-lines.js';

/** One change of a problem, as `busbridge problems show` lists it. */
export interface ProblemChange {
  readonly problemId: string;
  readonly kind: string;
  readonly key: string;
  readonly change: string;
  readonly at: Date;
  readonly severity: string;
  readonly eventType: string;
  readonly figures: Readonly<Record<string, string>>;
}

const MAX_CHANGES = 100;

/** The history of the problems of the market; faults of the bridge are left out. @param url for the role api */
export async function readProblemHistory(url: string): Promise<readonly ProblemChange[]> {
  const database = new Database({ url, schema: 'subscriber', connections: 1 });
  try {
    return await database.query<ProblemChange>(
      `SELECT problem.problem_id AS "problemId", problem.kind, key, problem_change.kind AS change, at, problem_change.severity,
              archive.type AS "eventType", problem_change.figures
       FROM problem JOIN problem_change USING (problem_id) JOIN archive ON archive.event_id = problem_change.event_id
       WHERE problem.kind <> 'bridge-fault' ORDER BY opened_at, problem_id, number LIMIT ${MAX_CHANGES}`,
    );
  } finally {
    await database.close();
  }
}

/** A table with a line for each change; empty without a problem. */
export function renderProblemHistory(changes: readonly ProblemChange[]): string {
  if (changes.length === 0) return '';
  const head = ['problem', 'about', 'change', 'at', 'severity', 'event type', 'figure'];
  const rows = changes.map(({ kind, key, change, at, severity, eventType, figures }) => [
    kind,
    key,
    change,
    formatTime(at.toISOString()),
    severity,
    shortenType(eventType),
    describeFigure(figures),
  ]);
  return `\nHistory of the problems:\n\n${renderTable(head, rows)}\n`;
}

/** The first figure decides. */
function describeFigure(figures: ProblemChange['figures']): string {
  const [first] = Object.entries(figures);
  return first === undefined ? '-' : first.join(' ');
}
