import { AMOUNTS } from '@ssb/config';
import {
  definitionOf,
  EVENT_TYPES,
  announcesState,
  TEMPLATE_FILTERS,
  timePrecisionOf,
  TOPIC_BY_EVENT_TYPE,
  type EventType,
} from '@ssb/events';
import { code, renderList } from './markdown.js';

const FILTERS = Object.entries(TEMPLATE_FILTERS).map(
  ([name, { meaning }]) => `${code(`:${name}`)}: ${meaning}`,
);

const IDENTITY = `## Identity

Each type has templates for the key, the version and the subject of an event, also in
[identities.json](../libs/events/identities.json). \`{a.b}\` is a member of \`data\`. \`{participant}\` and
\`{sequence}\` are those of the event, \`sequence\` without zeros at its beginning. A part in brackets is left out when
a member in it is absent. Numbers and truth values are written as in JSON. A filter changes a member:

${renderList(FILTERS)}

The \`id\` is made of type, participant, key and version:

1. Write each as \`<length>:<text>\`, one after the other. The length is that of the UTF-8 form in bytes.
2. Compute the SHA-256 of that text, and take its first 16 bytes.
3. Make them a UUID of version 4 ([RFC 9562](https://www.rfc-editor.org/rfc/rfc9562#section-5.4)): set the high four bits of
   byte 6 to \`0100\`, and the high two bits of byte 8 to \`10\`.

The \`source\` is \`urn:settlement-bus-bridge:\` and the participant, percent-encoded as by \`encodeURIComponent\` of
ECMAScript.`;

/** The catalogue: what each type means, and where its schema and example are. */
export function renderEventsPage(): string {
  const rows = EVENT_TYPES.map((type) => {
    const name = nameOf(type);
    return `| [${name}](#${name.replaceAll('.', '')}) | ${kindOf(type)} |`;
  });
  return [
    IDENTITY,
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
  const { guide, identity } = definitionOf(type);
  const { when, response, notRecovered } = guide;
  const files = `[schema](../libs/events/schemas/${type}.json), [signed example](../libs/events/examples/${type}.json)`;
  return [
    `## ${nameOf(type)}`,
    when,
    renderList([
      `Kind: ${kindOf(type)}.`,
      `What to do: ${response}`,
      ...describeAmount(type),
      ...(timePrecisionOf(type) === 'day' ? ['`time` is a market date, at midnight.'] : []),
      `Not recovered when the poller loses its state: ${notRecovered}`,
      `Subject: ${code(identity.subject)}`,
      `Key: ${code(identity.key)}`,
      `Version: ${code(identity.version)}`,
      `Files: ${files}.`,
    ]),
  ].join('\n\n');
}
