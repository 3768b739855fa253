import {
  applyDecorators,
  HttpCode,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { toCsv } from '@ssb/platform/csv';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { preferredType } from './media-types.js';
import type { Page } from './page.js';

const JSON_TYPE = 'application/json';
const CSV_TYPE = 'text/csv';

/**
 * Serves and documents a listing of these rows, with a `Link` to the next page (RFC 8288).
 * @param columns members of a row that become columns of CSV, for rows that are flat
 * @param toCsvRows the flat rows of a row that is not flat. Default: the row itself
 * @param pageType a page that has more than its rows
 */
export function Listing<Row extends object>(
  row: Type<Row>,
  columns?: readonly string[],
  toCsvRows: (row: Row) => readonly object[] = (each) => [each],
  pageType?: Type<Page<Row>>,
): MethodDecorator {
  const plainPage = {
    type: 'object',
    required: ['items'],
    properties: {
      items: { type: 'array', items: { $ref: getSchemaPath(row) } },
      next: { type: 'string', description: '`cursor` of the next page; absent on the last one.' },
    },
  };
  const page = pageType === undefined ? plainPage : { $ref: getSchemaPath(pageType) };
  return applyDecorators(
    HttpCode(200),
    ApiExtraModels(row, ...(pageType === undefined ? [] : [pageType])),
    ApiOkResponse({
      description: 'A page of the listing.',
      headers: { Link: { description: 'The next page (RFC 8288).', schema: { type: 'string' } } },
      content: {
        [JSON_TYPE]: { schema: page },
        ...(columns && { [CSV_TYPE]: { schema: { type: 'string' } } }),
      },
    }),
    UseInterceptors(new ListingInterceptor(columns, toCsvRows as (row: object) => readonly object[])),
  );
}

/** Gives a page the form that the caller prefers. */
class ListingInterceptor implements NestInterceptor<Page<object>, Page<object> | string> {
  constructor(
    private readonly columns: readonly string[] | undefined,
    private readonly toCsvRows: (row: object) => readonly object[],
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<Page<object>>): Observable<Page<object> | string> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const type = preferredType(request, [JSON_TYPE, CSV_TYPE]);
    return next.handle().pipe(
      map((page) => {
        void reply.header('vary', 'accept');
        if (page.next !== undefined)
          void reply.header('link', `<${nextAddress(request.url, page.next)}>; rel="next"`);
        if (type !== CSV_TYPE || this.columns === undefined) return page;
        void reply.header('content-type', `${CSV_TYPE}; charset=utf-8; header=present`);
        return toCsv(page.items.flatMap(this.toCsvRows), this.columns);
      }),
    );
  }
}

function nextAddress(address: string, cursor: string): string {
  const url = new URL(address, 'http://localhost');
  url.searchParams.set('cursor', cursor);
  return `${url.pathname}${url.search}`;
}
