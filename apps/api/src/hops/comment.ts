import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';

const MAX_LENGTH = 2_000;

/** What the author of an action writes about it, for the audit log. */
export const IsComment = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'string',
      minLength: 1,
      maxLength: MAX_LENGTH,
      description: 'Why; for the audit log.',
    }),
    IsOptionalField(),
    IsTextThat(
      (text) => text.length > 0 && text.length <= MAX_LENGTH && !text.includes('\0'),
      `must have 1 to ${MAX_LENGTH} characters`,
    ),
  );
