// Starts the page inside an exported file: inflates the script that lies beside this one.
(async () => {
    const packed = atob(document.getElementById("cairn-app").textContent), bytes = new Uint8Array(packed.length);
    for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const script = document.createElement("script");
    const text = await new Response(stream).text();
    script.src = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    document.body.append(script);
})();
