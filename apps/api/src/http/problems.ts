import { applyDecorators } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { InvalidRequestError, ProblemException, type RequestFault } from '@ssb/platform';

/** What is wrong with one field of a request. */
class ParameterFault implements RequestFault {
  @ApiProperty({ type: 'string', description: 'Names and indexes joined by dots; empty for the whole.' })
  readonly path!: string;
  @ApiProperty({ type: 'string' }) readonly message!: string;
}

/** RFC 9457. */
export class ProblemDetails {
  @ApiProperty({ type: 'string', description: 'Kind of the problem.' }) readonly type!: string;
  @ApiProperty({ type: 'string' }) readonly title!: string;
  @ApiProperty({ type: 'integer' }) readonly status!: number;
  @ApiPropertyOptional({ type: 'string', description: 'What was wrong, and what is allowed.' })
  readonly detail?: string;
  @ApiPropertyOptional({
    type: () => ParameterFault,
    isArray: true,
    description: 'What is wrong with each field.',
  })
  readonly faults?: readonly ParameterFault[];
  @ApiPropertyOptional({ type: 'string', description: 'Id of the request that was refused, or failed.' })
  readonly request?: string;
}

/** @throws ProblemException 404: there is none that the caller may see */
export function notFound(what: string): never {
  throw new ProblemException(404, 'Not found', `There is no such ${what} that the credentials may see.`);
}

/** 422 about one field. @param message what is allowed, in one sentence */
export function invalid(path: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path, message }]);
}

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  401: 'The credentials are missing, wrong or expired.',
  403: 'The role of the caller is not enough, or it may not see all participants.',
  404: 'There is no such resource that the caller may see.',
  406: 'It is not available in a form that the caller accepts.',
  409: 'The state of the resource does not allow it.',
  413: 'The body is too large.',
  414: 'A part of the address is too long.',
  415: 'The body is not JSON.',
  422: 'A parameter or a field of the body is wrong.',
  429: 'The caller sends too many requests.',
  502: 'An app of the bridge responded with an error.',
  503: 'The database or an app of the bridge does not respond.',
};

/** A response with problem details, in the OpenAPI document. */
export function describeProblem(status: number) {
  return {
    description: DESCRIPTIONS[status] ?? 'A problem.',
    content: { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemDetails) } } },
  };
}

/** Documents the problems of an operation. The document adds 406 and 422 to all that can have them. */
export function Problems(...statuses: readonly number[]): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ApiExtraModels(ProblemDetails),
    ...statuses.map((status) => ApiResponse({ status, ...describeProblem(status) })),
  );
}
