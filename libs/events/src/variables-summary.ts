import type { DetectedEvent } from './event.js';
import type { StatementChanges } from './types/statement-changes.js';
import type { StatementVariablesSummary } from './types/statements.js';

/** An event with the variables of a statement. */
export type StatementEvent =
  | DetectedEvent<'settlementbus.statement.published.v1'>
  | DetectedEvent<'settlementbus.statement.revised.v1'>;

/** The same event with a summary in place of its variables. */
export function withVariablesSummary(
  event: StatementEvent,
  variablesSummary: StatementVariablesSummary,
): StatementEvent {
  const data = { ...event.data, variables: undefined, variablesSummary };
  delete data.variables;
  return Object.freeze({ ...event, data }) as StatementEvent;
}

/** The same event with what changed. */
export function withStatementChanges<Event extends StatementEvent>(
  event: Event,
  changes: StatementChanges,
): Event {
  return Object.freeze({ ...event, data: { ...event.data, changes } });
}
