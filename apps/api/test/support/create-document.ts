import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { VERSION } from '@ssb/platform';
import { describeProblem } from '../../src/http/problems.js';

const DESCRIPTION = `What the bridge has verified and archived, and what people request of it.

Times are RFC 3339; amounts are decimal texts with every digit of the operator, in AUD. Members without a value are absent. A caller sees only
what belongs to its participants. Errors are problem details (RFC 9457). HEAD gets the status and the headers of GET without the body.`;

/** The OpenAPI 3.1 document of the running controllers. */
export function createDocument(nest: INestApplication): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Archive API of settlement-bus-bridge')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .addBearerAuth({ type: 'http', scheme: 'bearer' }, 'token')
    .build();
  const document = SwaggerModule.createDocument(nest, base, {
    operationIdFactory: (controller, method) => `${controller.replace('Controller', '')}_${method}`,
  });
  for (const [path, { get, post }] of Object.entries(document.paths)) {
    if (get && !isStream(get)) get.responses['304'] = NOT_MODIFIED;
    for (const operation of path.includes('{') ? [get, post] : [])
      if (operation) Object.assign(operation.responses, ADDRESS_PROBLEMS);
  }
  return document;
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const NOT_MODIFIED = { description: '`If-None-Match` has the `ETag` of the present response.' };

/** Of an address whose parameter cannot be decoded, or is too long. */
const ADDRESS_PROBLEMS = { 400: describeProblem(400), 414: describeProblem(414) };

function isStream({ responses }: Operation): boolean {
  const response = responses['200'];
  return response !== undefined && 'content' in response && 'text/event-stream' in (response.content ?? {});
}
