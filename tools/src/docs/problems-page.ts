import { describeProblemKind, PROBLEM_KINDS, type EventType, type ProblemKind } from '@ssb/events';
import { code, renderList } from './markdown.js';

/** Every kind of problem: the events that change it, its severity, and how subjects of events give its key. */
export function renderProblemsPage(): string {
  return PROBLEM_KINDS.map((kind) => {
    const { meaning, opens, resolves, key, subjects, staysClosed } = describeProblemKind(kind);
    const items = [
      `Opened, worsened or lowered by: ${listTypes(opens)}.`,
      `Resolved by: ${listTypes(resolves)}.`,
      ...(staysClosed
        ? [
            'Stays closed: once a person has closed it, later events of its key are archived and alert nobody.',
          ]
        : []),
      `Severity: ${describeSeverity(kind)}.`,
      `Key: ${code(key)}`,
      `Subjects of its events: ${subjects}`,
    ];
    return `### ${kind}\n\n${meaning}\n\n${renderList(items)}`;
  }).join('\n\n');
}

/** An empty list: only a person ends the problem. */
function listTypes(types: readonly EventType[]): string {
  const names = types.map((type) => code(type.replaceAll(/^settlementbus\.|\.v\d+$/g, '')));
  return names.join(', ') || 'a person, who closes it';
}

function describeSeverity(kind: ProblemKind): string {
  const { severity } = describeProblemKind(kind);
  if (typeof severity === 'string') return code(severity);
  return Object.entries(severity)
    .map(([level, ofLevel]) => `${level}: ${code(ofLevel)}`)
    .join(', ');
}
