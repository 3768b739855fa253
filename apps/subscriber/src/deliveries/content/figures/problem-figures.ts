import { measureNameOf } from '@ssb/events';
import { toPrintable } from '@ssb/net';
import type { NamedValue } from './event-figures.js';
import type { Figure } from '../formats.js';
import { formatInstant, formatText } from '../formats.js';
import type { MessageBody, Person, ProblemPart, SilencePart } from '../message-body.js';

/** In a label or a sentence. */
const MAX_NAME_LENGTH = 60;

/** Since when the problem lasts, who has handled it, and who silences it. */
export function problemFigures({ message, problem, silence }: MessageBody): Figure[] {
  if (problem === undefined) return [];
  const { since, worsened, reminders = 0, escalations = 0 } = problem;
  return [
    { label: 'Since', value: formatInstant(since) },
    ...(worsened === 0
      ? []
      : [{ label: 'Became worse', value: worsened === 1 ? 'once' : `${worsened} times` }]),
    ...(reminders === 0 ? [] : [{ label: 'Reminders', value: String(reminders) }]),
    ...(escalations === 0 ? [] : [{ label: 'Escalations', value: String(escalations) }]),
    ...decisionFigures(problem),
    ...(silence === undefined ? [] : silenceFigures(silence, message === 'silence-ended')),
  ];
}

/** The worst value of the decisive figure. */
export function worstFigure(problem: ProblemPart | undefined): NamedValue | undefined {
  const name = problem && measureNameOf(problem.kind);
  const value = name && problem.worstFigures?.[name];
  return name !== undefined && typeof value === 'string' ? { name, value } : undefined;
}

export const nameOf = (name = 'Somebody'): string => toPrintable(name, MAX_NAME_LENGTH);

function decisionFigures({ acknowledged, closed }: ProblemPart): Figure[] {
  // One person can do both, and no two labels are the same.
  const isSame = acknowledged !== undefined && nameOf(acknowledged.by) === nameOf(closed?.by);
  return [
    ...(acknowledged === undefined
      ? []
      : personFigures('Acknowledged by', acknowledged, `Comment of ${nameOf(acknowledged.by)}`)),
    ...(closed === undefined
      ? []
      : personFigures('Closed by', closed, `${isSame ? 'Last comment' : 'Comment'} of ${nameOf(closed.by)}`)),
  ];
}

function personFigures(label: string, { at, by, comment }: Person, commentLabel: string): Figure[] {
  return [
    { label, value: `${nameOf(by)}, ${formatInstant(at)}` },
    ...(comment ? [{ label: commentLabel, value: formatText(comment) }] : []),
  ];
}

function silenceFigures({ endsAt, author, comment, ended }: SilencePart, isOver: boolean): Figure[] {
  return [
    { label: 'Silenced by', value: nameOf(author) },
    { label: 'Comment of the silence', value: formatText(comment) },
    ...(ended === undefined
      ? [{ label: isOver ? 'Silence ended' : 'Silence ends', value: formatInstant(endsAt) }]
      : personFigures('Silence ended by', ended, 'Comment on the end')),
  ];
}
