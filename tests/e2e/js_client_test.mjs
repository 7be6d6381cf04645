// What programs written with the official JavaScript client do: list, create, watch, patch and
// delete, against `berth apiserver`.
//
//   node js_client_test.mjs BERTH

import * as k8s from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const berth = process.argv[2];
const kLimitMs = 60_000;
const kNamespace = 'default';

function node(name, zone) {
  return {
    metadata: { name, labels: { 'topology.kubernetes.io/zone': zone } },
    status: {
      capacity: { cpu: '4', memory: '8Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
    },
  };
}

function pod(name, labels) {
  return {
    metadata: { name, labels },
    spec: {
      containers: [
        { name: 'web', image: 'registry.local/web:1', resources: { requests: { cpu: '100m' } } },
      ],
    },
  };
}

const names = (list) => list.items.map((item) => item.metadata.name);

// Events in the order in which they came, and promises of those that are yet to come.
class EventLog {
  #events = [];
  #wake = () => {};

  add(type, object) {
    this.#events.push(`${type} ${object.metadata.name}`);
    this.#wake();
  }

  // The first `count` of them.
  async first(count) {
    while (this.#events.length < count) {
      await new Promise((resolve) => (this.#wake = resolve));
    }
    return this.#events.slice(0, count);
  }
}

const tests = {
  async 'nodes are created and listed'({ core }) {
    const created = await core.createNode({ body: node('n1', 'a') });
    assert.equal(created.metadata.name, 'n1');
    assert.ok(created.metadata.uid);
    assert.ok(created.metadata.creationTimestamp instanceof Date);
    await core.createNode({ body: node('n2', 'b') });

    const all = await core.listNode();
    assert.deepEqual(names(all), ['n1', 'n2']);
    assert.equal(all.items[0].status.capacity.memory, '8Gi');
    const inB = await core.listNode({ labelSelector: 'topology.kubernetes.io/zone=b' });
    assert.deepEqual(names(inB), ['n2']);
  },

  async 'pods are created with defaults and listed page by page'({ core }) {
    const namespace = kNamespace;
    const created = await core.createNamespacedPod({ namespace, body: pod('p1', { app: 'a' }) });
    assert.equal(created.status.phase, 'Pending');
    assert.equal(created.spec.schedulerName, 'default-scheduler');
    assert.equal(created.spec.restartPolicy, 'Always');
    await core.createNamespacedPod({ namespace, body: pod('p2', { app: 'a' }) });
    await core.createNamespacedPod({ namespace, body: pod('p3', { app: 'b' }) });

    const first = await core.listNamespacedPod({ namespace, limit: 2 });
    assert.deepEqual(names(first), ['p1', 'p2']);
    assert.equal(first.metadata.remainingItemCount, 1);
    const rest = await core.listNamespacedPod({ namespace, _continue: first.metadata._continue });
    assert.deepEqual(names(rest), ['p3']);
    assert.deepEqual(names(await core.listPodForAllNamespaces({ labelSelector: 'app=b' })), ['p3']);
  },

  async 'a watch reports what happens after a list'({ config, core }) {
    const namespace = kNamespace;
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const { metadata } = await core.listNamespacedPod({ namespace });
    const log = new EventLog();
    let ended = () => {};
    const end = new Promise((resolve) => (ended = resolve));
    const abort = await new k8s.Watch(config).watch(
      path,
      { resourceVersion: metadata.resourceVersion },
      (type, object) => log.add(type, object),
      ended,
    );
    await core.createNamespacedPod({ namespace, body: pod('p4', {}) });
    await core.patchNamespacedPod(
      { name: 'p4', namespace, body: { metadata: { labels: { app: 'c' } } } },
      k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch),
    );
    await core.deleteNamespacedPod({ name: 'p4', namespace, gracePeriodSeconds: 0 });
    assert.deepEqual(await log.first(3), ['ADDED p4', 'MODIFIED p4', 'DELETED p4']);
    abort.abort();
    await end;
  },

  async 'an informer lists, then follows'({ config, core }) {
    const log = new EventLog();
    const informer = k8s.makeInformer(config, '/api/v1/nodes', () => core.listNode());
    informer.on('add', (object) => log.add('add', object));
    informer.on('update', (object) => log.add('update', object));
    informer.on('delete', (object) => log.add('delete', object));
    await informer.start();
    assert.deepEqual((await log.first(2)).sort(), ['add n1', 'add n2']);
    await core.createNode({ body: node('n3', 'c') });
    assert.equal((await log.first(3))[2], 'add n3');
    await core.deleteNode({ name: 'n3' });
    assert.equal((await log.first(4))[3], 'delete n3');
    await informer.stop();
  },

  async 'a pod is bound to a node'({ core }) {
    await core.createNamespacedPodBinding({
      name: 'p1',
      namespace: kNamespace,
      body: { metadata: { name: 'p1' }, target: { kind: 'Node', name: 'n1' } },
    });
    const onNode = await core.listPodForAllNamespaces({ fieldSelector: 'spec.nodeName=n1' });
    assert.deepEqual(names(onNode), ['p1']);
  },

  async 'errors are Status objects'({ core }) {
    const status = async (call) => {
      const error = await call.then(() => assert.fail('should have failed'), (e) => e);
      assert.ok(error instanceof k8s.ApiException, String(error));
      return { code: error.code, reason: JSON.parse(error.body).reason };
    };
    assert.deepEqual(await status(core.readNode({ name: 'none' })), {
      code: 404,
      reason: 'NotFound',
    });
    assert.deepEqual(await status(core.createNode({ body: node('n1', 'a') })), {
      code: 409,
      reason: 'AlreadyExists',
    });
    const noContainers = { metadata: { name: 'bad' }, spec: { containers: [] } };
    assert.deepEqual(
      await status(core.createNamespacedPod({ namespace: kNamespace, body: noContainers })),
      { code: 422, reason: 'Invalid' },
    );
  },
};

// Starts the server; resolves when it serves.
async function start(kubeconfig) {
  const args = ['apiserver', '--port', '0', '--kubeconfig', kubeconfig];
  const server = spawn(berth, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => server.on('exit', (code) => resolve(code ?? 1)));
  const ready = new Promise((resolve) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      if (line.startsWith('export KUBECONFIG=')) resolve(true);
    });
  });
  if ((await Promise.race([ready, exited])) !== true) throw new Error('the server did not start');
  return { server, exited };
}

// Runs all tests with one server; returns how many failed.
async function runAll() {
  const dir = mkdtempSync(join(tmpdir(), 'berth-js-'));
  const kubeconfig = join(dir, 'kubeconfig');
  const { server, exited } = await start(kubeconfig);
  // Whatever hangs must leave no server behind.
  const limit = setTimeout(() => {
    console.error(`FAILED: not done after ${kLimitMs} ms`);
    server.kill('SIGKILL');
    process.exit(1);
  }, kLimitMs);

  const config = new k8s.KubeConfig();
  config.loadFromFile(kubeconfig);
  const client = { config, core: config.makeApiClient(k8s.CoreV1Api) };
  let failed = 0;
  for (const [name, run] of Object.entries(tests)) {
    try {
      await run(client);
      console.log(`ok: ${name}`);
    } catch (error) {
      failed += 1;
      console.error(`FAILED: ${name}\n`, error);
    }
  }

  server.kill('SIGTERM');
  const code = await exited;
  if (code !== 0) {
    failed += 1;
    console.error(`FAILED: berth apiserver ended with ${code} after SIGTERM`);
  }
  clearTimeout(limit);
  rmSync(dir, { recursive: true });
  return failed;
}

process.exit((await runAll()) === 0 ? 0 : 1);
