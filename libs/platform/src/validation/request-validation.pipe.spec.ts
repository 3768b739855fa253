import { Body, Controller, Get, Module, Post, Query } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInstance,
  IsOptional,
  IsString,
  ValidateNested,
} from 'class-validator';
import { buildApp, type AppOptions, type BuiltApp } from '../lifecycle/build-app.js';
import { createLogger } from '../logging/logger.js';
import { commonSettings } from '../settings/common.js';
import { readSettings } from '../settings/settings.js';
import { ParseDigits, IsIntBetween, IsOptionalField, IsTextThat } from './request-dto.js';
import type { UnknownFields } from './request-validation.pipe.js';

class TopicDto {
  @IsString()
  readonly schema!: string;
}

class ChannelDto {
  @IsTextThat((text) => text.startsWith('n'), 'must begin with n')
  readonly name!: string;

  @IsOptionalField()
  @ValidateNested({ each: true })
  @Type(() => TopicDto)
  @IsInstance(TopicDto, { each: true })
  @ArrayMaxSize(2)
  @IsArray()
  readonly topics?: readonly TopicDto[];

  @IsOptionalField()
  @IsTextThat((text) => text !== '', 'must be a name', { each: true })
  @IsArray()
  readonly admins?: readonly string[];

  @IsOptional()
  @IsString()
  readonly note?: string | null;

  @IsBoolean()
  readonly open: boolean = false;
}

class PageDto {
  @IsIntBetween(1, 100)
  @ParseDigits()
  readonly limit: number = 20;
}

@Controller()
class SampleController {
  @Post('channel')
  create(@Body() channel: ChannelDto): unknown {
    return { isInstance: channel instanceof ChannelDto, channel };
  }

  @Post('raw')
  raw(@Body() body: unknown): unknown {
    return { body };
  }

  @Get('page')
  page(@Query() { limit }: PageDto): unknown {
    return { limit };
  }
}

@Module({ controllers: [SampleController] })
class SampleModule {}

const log = createLogger({ name: 'sample', level: 'silent', format: 'json' });
const apps: BuiltApp[] = [];
const urls: Partial<Record<UnknownFields, string>> = {};

beforeAll(async () => {
  for (const unknownFields of ['refuse', 'ignore'] as const) {
    const options: AppOptions<typeof commonSettings> = {
      name: 'sample',
      definition: commonSettings,
      unknownFields,
      module: () => ({ module: SampleModule }),
      http: () => ({ port: 0 }),
    };
    const app = await buildApp(options, readSettings(commonSettings, {}), log);
    apps.push(app);
    [urls[unknownFields]] = (await app.listen()).urls;
  }
});

afterAll(async () => {
  for (const app of apps) await app.close();
});

interface ParsedResponse {
  readonly status: number;
  readonly body: { readonly faults?: unknown; readonly detail?: string; readonly channel?: unknown };
}

async function post(
  body: string | undefined,
  to: UnknownFields = 'refuse',
  path = 'channel',
): Promise<ParsedResponse> {
  const response = await fetch(`${urls[to]}/${path}`, {
    method: 'POST',
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  });
  return { status: response.status, body: (await response.json()) as ParsedResponse['body'] };
}

const nested = (depth: number) => `{"name":"n","note":${'['.repeat(depth)}${']'.repeat(depth)}}`;

describe('a request', () => {
  it('reaches the handler as an instance of its class, with its defaults', async () => {
    const channel = { name: 'n', topics: [{ schema: '{}' }], note: null, admins: ['a'] };
    expect(await post(JSON.stringify(channel))).toEqual({
      status: 201,
      body: { isInstance: true, channel: { ...channel, open: false } },
    });
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ['a field that is missing', { name: undefined }, 'name', 'name must begin with n'],
    ['a field of another type', { name: 1 }, 'name', 'name must begin with n'],
    ['null where a field may be absent', { topics: null }, 'topics', 'topics must be an array'],
    ['null where there is a default', { open: null }, 'open', 'open must be a boolean value'],
    ['an object for a list', { topics: { 0: {} } }, 'topics', 'topics must be an array'],
    ['text for a list of texts', { admins: 'a' }, 'admins', 'admins must be an array'],
    ['one wrong entry', { admins: ['a', ''] }, 'admins', 'each value in admins must be a name'],
    [
      'a list that is too long, whose entries are not validated',
      { topics: [1, 1, 1] },
      'topics',
      'topics must contain no more than 2 elements',
    ],
    [
      'a list where an object belongs',
      { topics: [[{ schema: '' }]] },
      'topics',
      'each value in topics must be an instance of TopicDto',
    ],
    [
      'a field of an entry',
      { topics: [{ schema: 1 }] },
      'topics.0.schema',
      'topics.0.schema must be a string',
    ],
  ])('with %s is refused with the path of the field', async (_what, change, path, message) => {
    expect(await post(JSON.stringify({ name: 'n', ...change }))).toEqual({
      status: 422,
      body: {
        type: 'about:blank',
        title: 'Unprocessable content',
        status: 422,
        detail: message,
        faults: [{ path, message }],
      },
    });
  });

  it.each([
    ['no body', undefined],
    ['null', 'null'],
    ['a list', '[]'],
    ['text', '"n"'],
  ])('with %s for an object is refused as a whole', async (_what, body) => {
    const message = 'The body must be a JSON object';
    expect(await post(body)).toMatchObject({ status: 422, body: { faults: [{ path: '', message }] } });
  });

  it('has its unknown fields refused, or ignored', async () => {
    const body = '{"name":"n","more":"hunter2","topics":[{"schema":"","more":"hunter2"}]}';
    const { status, body: problem } = await post(body);
    expect([status, problem.detail]).toEqual([
      422,
      'more is unknown: allowed are admins, name, note, open, topics; topics.0.more is unknown: allowed are schema',
    ]);
    const accepted = await post(body, 'ignore');
    expect(accepted.body.channel).toEqual({ name: 'n', open: false, topics: [{ schema: '' }] });
  });

  it.each([
    ['fields', `{${Array.from({ length: 5_000 }, (_, index) => `"f${index}":1`).join(',')},"name":"n"}`],
    ['entries', `{"name":"n","topics":[${'1,'.repeat(100_000)}1]}`],
    ['levels', nested(20)],
    ['levels, more than the call stack holds', nested(100_000)],
  ])('with too many %s is refused as a whole, in a short response', async (_what, body) => {
    const response = await post(body, 'ignore');
    expect(response).toMatchObject({ status: 422, body: { faults: [{ path: '' }] } });
  });

  it('with many faults gets the first ones in its response', async () => {
    const fields = Array.from({ length: 1_000 }, (_, index) => `"f${index}":1`).join(',');
    expect((await post(`{${fields}}`)).body.faults).toHaveLength(20);
  });

  it('with an unknown field of a long name gets the beginning of the name in its response', async () => {
    const path = 'x'.repeat(60);
    const faults = [{ path, message: `${path} is unknown: allowed are admins, name, note, open, topics` }];
    expect((await post(`{"name":"n","${'x'.repeat(100_000)}":1}`)).body.faults).toEqual(faults);
  });

  it.each([
    ['__proto__', '{"name":"n","__proto__":{"open":true}}', 400],
    ['constructor', '{"name":"n","constructor":{"prototype":{"open":true}}}', 400],
    [
      'constructor, of an entry',
      '{"name":"n","topics":[{"schema":"","constructor":{"name":"Object"}}]}',
      422,
    ],
    ['prototype', '{"name":"n","prototype":{"open":true}}', 422],
  ])('is refused for a field named %s', async (_what, body, status) => {
    expect((await post(body, 'ignore')).status).toBe(status);
    expect(await post('{"name":"n"}')).toMatchObject({ status: 201, body: { channel: { open: false } } });
  });

  it('of a handler without a class is passed on as it is', async () => {
    expect(await post('[1]', 'refuse', 'raw')).toEqual({ status: 201, body: { body: [1] } });
  });
});

describe('a query', () => {
  it.each([
    ['', 200],
    ['?limit=7', 200],
    ['?limit=0', 422],
    ['?limit=101', 422],
    ['?limit=', 422],
    ['?limit=1e1', 422],
    ['?limit=1&limit=2', 422],
    ['?page=1', 422],
    ['?__proto__=1', 422],
    ['?constructor=1', 422],
  ])('%s: %i', async (query, status) => {
    const response = await fetch(`${urls.refuse}/page${query}`);
    expect(response.status).toBe(status);
    if (status === 200) expect(await response.json()).toEqual({ limit: query === '' ? 20 : 7 });
  });
});
