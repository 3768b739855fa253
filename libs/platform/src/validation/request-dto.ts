import { Transform } from 'class-transformer';
import { buildMessage, IsDate, ValidateBy, ValidateIf, type ValidationOptions } from 'class-validator';

/** The field may be absent. Null is refused, which class-validator's own `IsOptional` accepts. */
export function IsOptionalField(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/**
 * The field is text that passes a test.
 * @param requirement follows the name of the field: `must be a DID`
 */
export function IsTextThat(
  test: (text: string) => boolean,
  requirement: string,
  options?: ValidationOptions,
): PropertyDecorator {
  return ValidateBy(
    {
      name: requirement,
      validator: {
        validate: (value) => typeof value === 'string' && test(value),
        defaultMessage: buildMessage((each) => `${each}$property ${requirement}`, options),
      },
    },
    options,
  );
}

/** The field is a whole number within these bounds, both included. */
export function IsIntBetween(minimum: number, maximum: number): PropertyDecorator {
  return ValidateBy({
    name: 'isIntBetween',
    validator: {
      validate: (value) =>
        typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum,
      defaultMessage: () => `$property must be a whole number from ${minimum} to ${maximum}`,
    },
  });
}

/** Converts the digits of a query parameter to a number. Any other value stays as it is, for `IsIntBetween` to refuse. */
export function ParseDigits(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
  );
}

/** The field is an ISO 8601 date-time, which becomes a Date. Without a zone it is UTC (document 002, GET message). */
export function IsDateTime(): PropertyDecorator {
  const parse = Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? (parseDateTime(value) ?? value) : value,
  );
  const check = IsDate({
    message:
      '$property must be an ISO 8601 date-time, such as 2026-11-20T01:02:03Z; without a zone it is UTC',
  });
  return (target, property) => {
    parse(target, property);
    check(target, property);
  };
}

/** Seconds and their fraction may be absent. */
const DATE_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?$/;

/** To the millisecond; undefined for any other text. */
function parseDateTime(text: string): Date | undefined {
  // In a query an unescaped plus sign of an offset arrives as a space.
  const [, local = '', zone = 'Z'] = DATE_TIME.exec(text.trim().replace(' ', '+')) ?? [];
  const date = new Date(isExistingDay(local) ? local + zone : Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Needed because Date accepts 30 February as 2 March. */
function isExistingDay(local: string): boolean {
  const day = local.slice(0, 10);
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
