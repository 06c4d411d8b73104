// Browsers start no workers for pages that are read from files.  There, a worker's script runs in a hidden frame, so that the search
// works without a server.  (Without this file, Material for MkDocs would load one like it from the network.)
if (location.protocol === "file:") {
  const load = (inside, url) =>
    new Promise((done) => {
      const script = inside.document.createElement("script");
      script.src = url;
      script.onload = done;
      inside.document.body.append(script);
    });

  const send = (target, data) => {
    const copy = structuredClone(data);
    setTimeout(() => target.dispatchEvent(new MessageEvent("message", { data: copy })));
  };

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.inside = this.frame.contentWindow;
      this.inside.document.open();
      this.inside.document.write("<html><body></body></html>");
      this.inside.document.close();
      this.inside.postMessage = (data) => send(this, data);
      this.inside.importScripts = (...urls) =>
        urls.reduce((before, each) => before.then(() => load(this.inside, each)), Promise.resolve());
      this.ready = load(this.inside, url);
    }

    postMessage(data) {
      this.ready.then(() => send(this.inside, data));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
