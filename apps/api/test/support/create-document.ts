import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { VERSION } from '@ssb/platform';

const DESCRIPTION = `What the bridge has verified and archived, and what people request of it.

Times are RFC 3339; amounts are decimal texts with every digit of the operator, in AUD. Members without a value are absent. A caller sees only
what belongs to its participants. Errors are problem details (RFC 9457).`;

/** The OpenAPI 3.1 document of the running controllers. */
export function createDocument(nest: INestApplication): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Archive API of settlement-bus-bridge')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .addBearerAuth({ type: 'http', scheme: 'bearer' }, 'token')
    .build();
  return SwaggerModule.createDocument(nest, base, {
    operationIdFactory: (controller, method) => `${controller.replace('Controller', '')}_${method}`,
  });
}
