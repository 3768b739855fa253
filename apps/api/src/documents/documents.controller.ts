import { Readable } from 'node:stream';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { MEDIA_TYPES, type DocumentRecord } from '@ssb/documents';
import type { FastifyReply } from 'fastify';
import { CurrentCaller } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { ID_DESCRIPTION, ID_SCHEMA } from '../database/find-id.js';
import { Listing } from '../http/listing.js';
import type { Page } from '../http/page.js';
import { notFound, Problems } from '../http/problems.js';
import { DOCUMENT_COLUMNS, DocumentRow, DocumentsQuery } from './document-dto.js';
import { Documents } from './documents.js';

const ID = { name: 'id', schema: ID_SCHEMA, description: ID_DESCRIPTION };

@ApiTags('documents')
@ApiSecurity('token')
@Problems(401, 429, 503)
@Controller('v1/documents')
export class DocumentsController {
  constructor(private readonly documents: Documents) {}

  @Get()
  @ApiOperation({
    summary: 'Lists the stored PDFs of invoices, the newest first',
    description: 'Each version of an invoice has a document of its own.',
  })
  @Listing(DocumentRow, DOCUMENT_COLUMNS)
  list(@CurrentCaller() caller: Caller, @Query() query: DocumentsQuery): Promise<Page<DocumentRow>> {
    return this.documents.list(caller, query);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Shows what is known of a document',
    description: '409 when several documents begin with the id.',
  })
  @ApiParam(ID)
  @ApiOkResponse({ description: 'The document without its bytes.', type: DocumentRow })
  @Problems(404, 409)
  async show(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<DocumentRow> {
    return (await this.documents.find(caller, id)) ?? notFound('document');
  }

  @Get(':id/content')
  @ApiOperation({
    summary: 'Sends the bytes of a document',
    description:
      'As a download, which a browser must not show as a page. `ETag` is the SHA-256 of the bytes. A response that ends early is not complete: compare its hash.',
  })
  @ApiParam(ID)
  @ApiOkResponse({
    description: 'The bytes that the operator sent.',
    content: { [MEDIA_TYPES.invoice]: { schema: { type: 'string', format: 'binary' } } },
  })
  @Problems(404, 409)
  async download(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { record, content } = (await this.documents.open(caller, id)) ?? notFound('document');
    const headers = headersOf(record);
    const body = Readable.from(content, { objectMode: false });
    body.once('error', () => removeHeaders(reply, Object.keys(headers)));
    await reply.headers(headers).send(body);
  }
}

/** A store that fails before the first byte is a problem, which has headers of its own. */
function removeHeaders(reply: FastifyReply, names: readonly string[]): void {
  if (reply.raw.headersSent) return;
  for (const name of names) {
    reply.removeHeader(name);
    reply.raw.removeHeader(name);
  }
}

/** The bytes are those of the operator, so no browser may run them in the origin of the console. */
function headersOf(record: DocumentRecord): Readonly<Record<string, string>> {
  const { kind, bytes, sha256 } = record;
  return {
    'content-type': MEDIA_TYPES[kind],
    'content-length': String(bytes),
    'content-disposition': `attachment; filename="${fileNameOf(record)}"`,
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    etag: `"${sha256}"`,
  };
}

/** A name without characters that a header or a file system treats in a special way. */
function fileNameOf({ kind, market, periodFrom, designation, reference }: DocumentRecord): string {
  const name = [kind, market, periodFrom, designation, reference].join('-');
  return `${name.replaceAll(/[^A-Za-z0-9_-]+/g, '_')}.pdf`;
}
