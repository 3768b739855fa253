import { describeProblemKind, PROBLEM_KINDS, type EventType, type ProblemKind } from '@ssb/events';
import { code } from './markdown.js';

/** Every kind of problem: the events that change it, its severity, and how subjects of events give its key. */
export function renderProblemsPage(): string {
  return [
    renderTable(
      ['kind', 'opened, worsened or lowered by', 'resolved by', 'severity'],
      PROBLEM_KINDS.map((kind) => {
        const { opens, resolves } = describeProblemKind(kind);
        return [code(kind), listTypes(opens), listTypes(resolves), describeSeverity(kind)];
      }),
    ),
    renderTable(
      ['kind', 'meaning', 'key', 'subjects of its events'],
      PROBLEM_KINDS.map((kind) => {
        const { meaning, key, subjects } = describeProblemKind(kind);
        return [code(kind), meaning, code(key), subjects];
      }),
    ),
  ].join('\n\n');
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
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
