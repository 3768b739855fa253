import {
  definitionOf,
  EVENT_TYPES,
  announcesState,
  timePrecisionOf,
  TOPIC_BY_EVENT_TYPE,
  type EventType,
} from '@ssb/events';
import { code, renderList } from './markdown.js';

const HEAD = `# Events

<!-- Written by npm run docs from libs/events; CI fails when it is out of date. -->

Every event type of the bridge. The full name of a type is \`settlementbus.<type>.v1\`. The members outside \`data\` are the same for each type
([for integrators](integrators.md#events)). [config/bridge.yaml](../config/bridge.yaml) routes each type to a channel.

The schema of a type describes each field of \`data\`. Its \`$comment\` names the operation of the operator's interface and the field that it comes from
([document 000](interfaces.md)); a field without one is added by the bridge.

| kind | what it means |
| --- | --- |
| fact | each event stands for itself |
| state | it says how things are now: each event replaces the previous one of its subject |

| values in \`data\` | their form |
| --- | --- |
| amounts | a text with every digit, such as \`-12.50\`, AUD |
| market time | \`yyyy-MM-ddTHH:mm:ss\` in UTC+8, without a zone, with up to nine decimals |
| market date | \`yyyy-MM-dd\` in UTC+8 |
| UTC time | RFC 3339 with milliseconds and \`Z\` |`;

/** A Markdown page with the catalogue: what each type means, and where its schema and example are. */
export function renderEventsPage(): string {
  const rows = EVENT_TYPES.map((type) => {
    const name = nameOf(type);
    return `| [${name}](#${name.replaceAll('.', '')}) | ${kindOf(type)} |`;
  });
  return [
    HEAD,
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

function renderType(type: EventType): string {
  const { when, subject, response, notRecovered } = definitionOf(type).guide;
  const files = `[schema](../libs/events/schemas/${type}.json), [signed example](../libs/events/examples/${type}.json)`;
  return [
    `## ${nameOf(type)}`,
    when,
    renderList([
      `Kind ${kindOf(type)}, subject ${code(subject)}, ${files}.`,
      ...(timePrecisionOf(type) === 'day' ? ['`time` is a market date, at midnight.'] : []),
      `What to do: ${response}`,
      `Not recovered when the poller loses its state: ${notRecovered}`,
    ]),
  ].join('\n\n');
}
