import { Transform } from 'class-transformer';
import { buildMessage, ValidateBy, ValidateIf, type ValidationOptions } from 'class-validator';

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
