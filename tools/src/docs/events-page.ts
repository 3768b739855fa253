import { AMOUNTS } from '@ssb/config';
import {
  definitionOf,
  EVENT_TYPES,
  announcesState,
  timePrecisionOf,
  TOPIC_BY_EVENT_TYPE,
  type EventType,
} from '@ssb/events';
import { code, renderList } from './markdown.js';

/** The catalogue: what each type means, and where its schema and example are. */
export function renderEventsPage(): string {
  const rows = EVENT_TYPES.map((type) => {
    const name = nameOf(type);
    return `| [${name}](#${name.replaceAll('.', '')}) | ${kindOf(type)} |`;
  });
  return [
    `## Overview\n\n| type | kind |\n| --- | --- |\n${rows.join('\n')}`,
    ...EVENT_TYPES.map(renderType),
  ].join('\n\n');
}

/** `statement.published` of `settlementbus.statement.published.v1`. */
function nameOf(type: EventType): string {
  return TOPIC_BY_EVENT_TYPE[type].replace(/\.v\d+$/, '');
}

function kindOf(type: EventType): string {
  return announcesState(type) ? 'state' : 'fact';
}

/** The amount that `amounts` of a rule compares. */
function describeAmount(type: EventType): string[] {
  const amount = AMOUNTS[type];
  if (amount === undefined) return [];
  return [`Amount of [rules](operate/configure.md#alerts), ${SIGNS[amount.sign]}: ${amount.meaning}.`];
}

const SIGNS = { 'as-sent': 'with its sign', size: 'without a sign' } as const;

function renderType(type: EventType): string {
  const { when, subject, response, notRecovered } = definitionOf(type).guide;
  const files = `[schema](../libs/events/schemas/${type}.json), [signed example](../libs/events/examples/${type}.json)`;
  return [
    `## ${nameOf(type)}`,
    when,
    renderList([
      `Kind ${kindOf(type)}, subject ${code(subject)}, ${files}.`,
      ...describeAmount(type),
      ...(timePrecisionOf(type) === 'day' ? ['`time` is a market date, at midnight.'] : []),
      `What to do: ${response}`,
      `Not recovered when the poller loses its state: ${notRecovered}`,
    ]),
  ].join('\n\n');
}
