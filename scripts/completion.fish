# Completion of `tune` for fish: what it says itself about the words so far (tune complete), else files.
function __tune_offers
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l offers ($words[1] complete $words[2..-1] "$current" 2>/dev/null)
    if set -q offers[1]
        printf '%s\n' $offers
    else
        __fish_complete_path "$current"
    end
end
complete -c tune -f -a '(__tune_offers)'
