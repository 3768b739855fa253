import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { VERSION } from '@ssb/platform';
import { describeProblem } from '../../src/http/problems.js';

const DESCRIPTION = `What the bridge has verified and archived, and what people request of it.

Times are RFC 3339; amounts are decimal texts with every digit of the operator, in AUD. Members without a value are absent. A caller sees only
what belongs to its participants. Errors are problem details (RFC 9457). HEAD gets the status and the headers of GET without the body.
Unknown parameters, and unknown members of a body, are refused.`;

const TAGS = {
  audit: 'What people requested, and how it ended.',
  backfills: 'Past records that the poller fetches again.',
  'dead letters': 'Events that could not be published.',
  deliveries: 'What each sink gets of an event.',
  documents: 'The PDFs of invoices, as the operator sent them.',
  requests: 'What people request of the subscriber.',
  events: 'The archive of verified events.',
  evidence: 'Proof of an event, and the keys that were trusted.',
  schemas: 'The form of each event type.',
  problems: 'States that last until an event or a person ends them.',
  silences: 'Times without deliveries.',
  quarantine: 'Messages that failed verification.',
  sinks: 'Receivers of deliveries.',
  caller: 'What credentials grant.',
  status: 'The state of the bridge and of its apps.',
  market: 'Positions, settlement runs, statements and invoices.',
} as const;

/** The OpenAPI 3.1 document of the running controllers. */
export function createDocument(nest: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Archive API of settlement-bus-bridge')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .addServer('/', 'The server that has this document.')
    .addBearerAuth({ type: 'http', scheme: 'bearer' }, 'token');
  for (const [tag, description] of Object.entries(TAGS)) builder.addTag(tag, description);
  const base = builder.build();
  const document = SwaggerModule.createDocument(nest, base, {
    operationIdFactory: (controller, method) => `${controller.replace('Controller', '')}_${method}`,
  });
  for (const [path, { get, post }] of Object.entries(document.paths)) {
    if (get && !isStream(get)) get.responses['304'] = NOT_MODIFIED;
    for (const operation of [get, post])
      if (operation) {
        // Without credentials, for everyone.
        operation.security ??= [];
        operation.responses[422] = describeProblem(422);
        if (isNegotiated(operation)) operation.responses[406] = describeProblem(406);
        if (path.includes('{')) Object.assign(operation.responses, ADDRESS_PROBLEMS);
        if (operation.requestBody) closeObjects(operation.requestBody, document);
      }
  }
  return document;
}

/** Documents that the objects of a body, and the objects in them, have no other members. */
function closeObjects(part: unknown, document: OpenAPIObject): void {
  if (typeof part !== 'object' || part === null) return;
  for (const value of Object.values(part)) closeObjects(value, document);
  if ('$ref' in part)
    closeObjects(document.components?.schemas?.[String(part.$ref).split('/').at(-1) ?? ''], document);
  if ('properties' in part) Object.assign(part, { additionalProperties: false });
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const NOT_MODIFIED = { description: '`If-None-Match` has the `ETag` of the present response.' };

/** Of an address whose parameter cannot be decoded, or is too long. */
const ADDRESS_PROBLEMS = { 400: describeProblem(400), 414: describeProblem(414) };

const isStream = (operation: Operation): boolean => hasType(operation, 'text/event-stream');

/** The JSON Schemas are served whatever the caller accepts. */
const isNegotiated = (operation: Operation): boolean => !hasType(operation, 'application/schema+json');

function hasType({ responses }: Operation, type: string): boolean {
  const response = responses['200'];
  return response !== undefined && 'content' in response && type in (response.content ?? {});
}
