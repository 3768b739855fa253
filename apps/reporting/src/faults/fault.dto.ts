import {
  FAULT_PATH_PATTERN,
  type FaultKind,
  type FaultOf,
  MAX_FAULT_SECONDS,
  MAX_FAULT_TIMES,
} from '@ssb/market/admin';
import { IsIntBetween, IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import { Equals, IsBoolean, IsIn, NotEquals } from 'class-validator';

const IsName = (): PropertyDecorator =>
  IsTextThat(
    (text) => [...text].length <= 60 && text.trim() !== '',
    'must be 1 to 60 characters, not only whitespace',
  );

/** The fields of every kind of fault. Without `participant` and `path`, a fault affects all participants and operations. */
abstract class FaultDto {
  @IsOptionalField()
  @IsIntBetween(1, MAX_FAULT_SECONDS)
  readonly forSeconds?: number;

  @IsOptionalField()
  @IsIntBetween(1, MAX_FAULT_TIMES)
  readonly times?: number;

  @IsOptionalField()
  @IsName()
  readonly participant?: string;

  @IsOptionalField()
  @IsTextThat(
    (text) => text.length >= 1 && text.length <= 200 && FAULT_PATH_PATTERN.test(text),
    'must be a path such as /api/v2/settlements/*/summary/**: * is one segment, ** the rest',
  )
  readonly path?: string;
}

class LatencyDto extends FaultDto implements FaultOf<'latency'> {
  @Equals('latency')
  readonly kind!: 'latency';

  @IsIntBetween(1, 60_000)
  readonly ms!: number;
}

class RateLimitDto extends FaultDto implements FaultOf<'rate-limit'> {
  @Equals('rate-limit')
  readonly kind!: 'rate-limit';

  @IsOptionalField()
  @IsIntBetween(1, 10_000)
  readonly perMinute?: number;

  @IsOptionalField()
  @IsIntBetween(1, 10_000)
  readonly perFiveMinutes?: number;

  @IsBoolean()
  readonly retryAfter!: boolean;
}

class ErrorDto extends FaultDto implements FaultOf<'error'> {
  @Equals('error')
  readonly kind!: 'error';

  @IsIn([500, 503], { message: '$property must be 500 or 503' })
  readonly status!: 500 | 503;

  @IsOptionalField()
  @IsIntBetween(0, 3_600)
  readonly retryAfterSeconds?: number;
}

class ConnectionResetDto extends FaultDto implements FaultOf<'connection-reset'> {
  @Equals('connection-reset')
  readonly kind!: 'connection-reset';

  @IsIn(['before-answer', 'in-body'])
  readonly when!: 'before-answer' | 'in-body';
}

class TruncatedJsonDto extends FaultDto implements FaultOf<'truncated-json'> {
  @Equals('truncated-json')
  readonly kind!: 'truncated-json';

  @IsIn(['of-whole', 'of-half'])
  readonly contentLength!: 'of-whole' | 'of-half';
}

class WrongContentTypeDto extends FaultDto implements FaultOf<'wrong-content-type'> {
  @Equals('wrong-content-type')
  readonly kind!: 'wrong-content-type';

  @IsIn(['text/html', 'application/xml', 'application/octet-stream'])
  readonly contentType!: 'text/html' | 'application/xml' | 'application/octet-stream';
}

class UnknownPropertyDto extends FaultDto implements FaultOf<'unknown-property'> {
  @Equals('unknown-property')
  readonly kind!: 'unknown-property';

  @IsName()
  readonly property!: string;

  @IsIn(['beside-data', 'in-data'])
  readonly where!: 'beside-data' | 'in-data';
}

class MissingPropertyDto extends FaultDto implements FaultOf<'missing-property'> {
  @Equals('missing-property')
  readonly kind!: 'missing-property';

  @IsName()
  readonly property!: string;
}

class ClockSkewDto extends FaultDto implements FaultOf<'clock-skew'> {
  @Equals('clock-skew')
  readonly kind!: 'clock-skew';

  @NotEquals(0)
  @IsIntBetween(-86_400, 86_400)
  readonly seconds!: number;
}

/** The DTO class that validates each kind of fault. */
export const FAULT_DTO: Readonly<Record<FaultKind, new () => FaultDto>> = {
  latency: LatencyDto,
  'rate-limit': RateLimitDto,
  error: ErrorDto,
  'connection-reset': ConnectionResetDto,
  'truncated-json': TruncatedJsonDto,
  'wrong-content-type': WrongContentTypeDto,
  'unknown-property': UnknownPropertyDto,
  'missing-property': MissingPropertyDto,
  'clock-skew': ClockSkewDto,
};
