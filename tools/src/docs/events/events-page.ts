import {
  definitionOf,
  describeType,
  EVENT_TYPES,
  listFields,
  sourceOf,
  statesPresent,
  timePrecisionOf,
  TOPIC_BY_EVENT_TYPE,
  type EventType,
  type Field,
} from '@ssb/events';

export const ASYNCAPI_FILE = 'docs/events.asyncapi.yaml';

const HEAD = `# Events

<!-- Written by npm run docs from libs/events; CI fails when it is out of date. -->

Every event type of the bridge. The full name of a type is \`settlementbus.<type>.v1\`. The members outside \`data\` are the same for each type
([for integrators](integrators.md#events)). [events.asyncapi.yaml](events.asyncapi.yaml) (AsyncAPI 3.1) has the channel and the topic of each type, as
[config/bridge.yaml](../config/bridge.yaml) routes them.

| kind | what it means |
| --- | --- |
| fact | each event stands for itself |
| state | it says how things are now: each event replaces the previous one of its subject |

| type of a field | its form |
| --- | --- |
| decimal | a text with every digit, such as \`-12.50\`; amounts are AUD |
| market time | \`yyyy-MM-ddTHH:mm:ss\` in UTC+8, without a zone, with up to nine decimals |
| market date | \`yyyy-MM-dd\` in UTC+8 |
| UTC time | RFC 3339 with milliseconds and \`Z\` |
| SHA-256 | 64 lower-case hexadecimal digits |

The source of a field is an operation of the operator's interface and its field ([document 000](interfaces.md)). A field without a source is added by the
bridge. Fields with \`?\` may be missing.`;

/** A Markdown page with the catalogue: an overview, then each type with its fields and an example. */
export function renderEventsPage(readData: (type: EventType) => object): string {
  const overview = EVENT_TYPES.map((type) => {
    const { when } = definitionOf(type).guide;
    return [`[${nameOf(type)}](#${anchorOf(type)})`, when, kindOf(type)];
  });
  return [
    HEAD,
    `## Overview\n\n${renderTable(['type', 'raised when', 'kind'], overview)}`,
    ...EVENT_TYPES.map((type) => renderType(type, readData(type))),
  ].join('\n\n');
}

function renderType(type: EventType, data: object): string {
  const { when, subject, response, notRecovered } = definitionOf(type).guide;
  const facts = [
    ['raised when', when],
    ['subject', `\`${subject}\``],
    ['kind', kindOf(type)],
    [
      'precision of `time`',
      timePrecisionOf(type) === 'day' ? 'a market date, at midnight' : 'a second or better',
    ],
    ['what to do', response],
    ['not recovered when the poller loses its state', notRecovered],
    [
      'files',
      `[schema](../libs/events/schemas/${type}.json), [signed example](../libs/events/examples/${type}.json)`,
    ],
  ];
  const fields = listFields(definitionOf(type).schema).map(renderField);
  return [
    `## ${nameOf(type)}`,
    renderTable(['', `\`${type}\``], facts),
    renderTable(['field of `data`', 'type', 'meaning', 'source'], fields),
    `\`\`\`json\n${JSON.stringify(data, null, 2)}\n\`\`\``,
  ].join('\n\n');
}

function renderField({ path, schema, isOptional }: Field): string[] {
  const { description } = schema;
  const name = `\`${path}\`${isOptional ? ' ?' : ''}`;
  return [
    name,
    describeType(schema),
    typeof description === 'string' ? description : '',
    sourceOf(schema) ?? '',
  ];
}

/** `statement.published` of `settlementbus.statement.published.v1`. */
export function nameOf(type: EventType): string {
  return TOPIC_BY_EVENT_TYPE[type].replace(/\.v\d+$/, '');
}

function anchorOf(type: EventType): string {
  return nameOf(type).replaceAll('.', '');
}

function kindOf(type: EventType): string {
  return statesPresent(type) ? 'state' : 'fact';
}

function renderTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map(renderRow).join('\n');
}

function renderRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
