import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { shortType, suggestTypes } from '@ssb/config';
import { CATALOGUE } from '@ssb/events';
import { ProblemException } from '@ssb/platform';
import { ForEveryone } from '../access/access.guard.js';
import { Problems } from '../http/problems.js';

const SCHEMA_TYPE = 'application/schema+json';

/** The public JSON Schemas of events. */
@ApiTags('schemas')
@ForEveryone()
@Controller('schemas')
export class SchemasController {
  @Get(':type')
  @Header('content-type', `${SCHEMA_TYPE}; charset=utf-8`)
  @ApiOperation({ summary: 'The JSON Schema of an event type', description: 'No credentials are needed.' })
  @ApiParam({
    name: 'type',
    schema: { type: 'string' },
    description: 'An event type, also without prefix and version, such as margin.breached.',
  })
  @ApiOkResponse({
    description: 'A JSON Schema.',
    content: { [SCHEMA_TYPE]: { schema: { type: 'object', additionalProperties: true } } },
  })
  @Problems(404)
  schema(@Param('type') name: string): object {
    const found = CATALOGUE.find(({ type }) => type === name || shortType(type) === name);
    if (found === undefined)
      throw new ProblemException(404, 'Not found', `No event type has this name. ${suggestTypes(name)}`);
    return found.schema;
  }
}
