// Starts the page inside an exported file: inflates the script that lies beside this one.
(async () => {
    const packed = atob(document.getElementById("cairn-app").textContent);
    const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const script = document.createElement("script");
    const text = await new Response(stream).text();
    script.src = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    document.body.append(script);
})();
