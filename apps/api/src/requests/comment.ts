import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import { isStorable } from '../http/texts.js';

const MAX_COMMENT_LENGTH = 2_000;
const IsComment = (): PropertyDecorator =>
  IsTextThat(
    (text) => isStorable(text, MAX_COMMENT_LENGTH),
    `must have 1 to ${MAX_COMMENT_LENGTH} characters`,
  );
const SCHEMA = { type: 'string', minLength: 1, maxLength: MAX_COMMENT_LENGTH, description: 'Why.' } as const;

/** The body of a request that needs no comment. */
export class OptionalComment {
  @ApiPropertyOptional(SCHEMA) @IsOptionalField() @IsComment() readonly comment?: string;
}

/** The body of a request that says why. */
export class RequiredComment {
  @ApiProperty(SCHEMA) @IsComment() readonly comment!: string;
}
