import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import { LONG } from './answer-bytes.js';

/** As fast as gzip, and smaller; Node's default takes twenty times the CPU. */
const BROTLI_QUALITY = 4;
/** 64 KB. The default allocates megabytes for each answer. */
const BROTLI_WINDOW_BITS = 16;

/** Compresses long answers if the client accepts it. Event streams bypass fastify and stay uncompressed, because a
 *  compressor would hold events back. */
export async function compressAnswers(server: FastifyInstance): Promise<void> {
  await server.register(compress, {
    global: true,
    threshold: LONG,
    encodings: ['br', 'gzip'],
    globalDecompression: false,
    brotliOptions: {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
      },
    },
  });
}
