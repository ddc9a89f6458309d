/**
 * Loads the packages of the program that are CommonJS, one after the other. Node 20 may leave their
 * names undefined where two commands of one process load one at once, as tests start commands.
 * Whatever starts commands in its own process imports this before the program.
 */
import "commander";
import "esbuild";
import "fastify";
import "hash-wasm";
import "pino";
import "prom-client";
import "rxjs";
import "undici";
import "ws";
import "yaml";
import "yauzl";
